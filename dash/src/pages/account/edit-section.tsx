import { Button } from '@mantine/core';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { Notice } from '../../ui/notice.js';
import { Section } from './section.js';

interface EditSectionProps {
  title: string;
  lead?: string;
  button: string;
  /** Renders the form. It closes with a success message, or with null if the user cancels. */
  form: (close: (outcome: string | null) => void) => ReactNode;
  children?: ReactNode;
}

/** Section with an inline form. The focus moves into the form, and returns when it closes. */
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
