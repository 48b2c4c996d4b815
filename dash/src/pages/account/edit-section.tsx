import { Button } from '@mantine/core';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { Notice } from '../../ui/notice.js';
import { Section } from './section.js';

interface EditSectionProps {
  title: string;
  lead?: string;
  /** Opens the form. */
  button: string;
  /** Returns the form. It is closed with what has come of it, or with null if the person gives it up. */
  form: (close: (outcome: string | null) => void) => ReactNode;
  /** Content that stands there while the form does not. */
  children?: ReactNode;
}

/** Shows a part of the account page that is changed in place. The focus goes into the form, and comes back to where it was. */
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
