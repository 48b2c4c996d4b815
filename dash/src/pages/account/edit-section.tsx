import { Button, Group } from '@mantine/core';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { SubmitButton } from '../../forms/submit-button.js';
import { Notice } from '../../ui/notice.js';
import { Section } from './section.js';
import { useTexts } from '../../texts/texts.js';

interface EditSectionProps {
  title: string;
  lead?: string;
  /** Opens the form. */
  button: string;
  /** The form. It is closed with what has come of it, or with null where the person gives it up. */
  form: (close: (outcome: string | null) => void) => ReactNode;
  /** What stands there while the form does not. */
  children?: ReactNode;
}

/** A part of the account page that is changed in place. The focus goes into the form, and comes back to where it was. */
export function EditSection({ title, lead, button, form, children }: EditSectionProps) {
  const [isOpen, setOpen] = useState(false);
  const [outcome, setOutcome] = useState<string | null>(null);
  const heading = useRef<HTMLHeadingElement>(null);
  const opener = useRef<HTMLButtonElement>(null);
  const wasOpen = useRef(false);
  useEffect(() => {
    if (wasOpen.current && !isOpen) (outcome === null ? opener : heading).current?.focus();
    wasOpen.current = isOpen;
  }, [isOpen, outcome]);
  function close(text: string | null): void {
    setOutcome(text);
    setOpen(false);
  }
  function open(): void {
    setOutcome(null);
    setOpen(true);
  }
  return (
    <Section title={title} lead={lead} headingRef={heading}>
      {outcome !== null && <Notice tone="success">{outcome}</Notice>}
      {isOpen ? (
        form(close)
      ) : (
        <>
          {children}
          <div>
            <Button ref={opener} variant="default" size="sm" onClick={open}>
              {button}
            </Button>
          </div>
        </>
      )}
    </Section>
  );
}

interface FormButtonsProps {
  submit: string;
  busy: boolean;
  /** What cannot be taken back. */
  isDangerous?: boolean;
  /** There is something in the way: only going back is left. */
  isOff?: boolean;
  onCancel: () => void;
}

/** The buttons under a form that was opened in the page. */
export function FormButtons({ submit, busy, isDangerous, isOff, onCancel }: FormButtonsProps) {
  const { forms } = useTexts();
  return (
    <Group grow>
      {!isOff && (
        <SubmitButton busy={busy} isDangerous={isDangerous}>
          {submit}
        </SubmitButton>
      )}
      <Button type="button" variant="default" onClick={onCancel}>
        {forms.cancel}
      </Button>
    </Group>
  );
}
