import { Text, Title } from '@mantine/core';
import { type ReactNode, type RefObject, useId } from 'react';
import classes from './account.module.css';

interface SectionProps {
  title: string;
  lead?: string;
  headingRef?: RefObject<HTMLHeadingElement | null>;
  children: ReactNode;
}

export function Section({ title, lead, headingRef, children }: SectionProps) {
  const id = useId();
  return (
    <section className={classes.section} aria-labelledby={id}>
      <div>
        <Title order={2} id={id} ref={headingRef} tabIndex={-1} className={classes.heading}>
          {title}
        </Title>
        {lead && (
          <Text size="sm" c="dimmed">
            {lead}
          </Text>
        )}
      </div>
      {children}
    </section>
  );
}
