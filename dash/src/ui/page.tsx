import { Text, Title } from '@mantine/core';
import { type ReactNode, useEffect, useRef } from 'react';
import { APP_NAME } from './app-name.js';
import classes from './page.module.css';

interface PageProps {
  title: string;
  /** One or two sentences under the title. */
  lead?: ReactNode;
  wide?: boolean;
  children?: ReactNode;
}

let firstView = true;

/**
 * Shows one view: a card with its heading. The heading takes the focus when the view replaces another one, so that the change is read
 * out and the keyboard continues from there, unless an input of the view has it already; give each view of a page its own `key`.
 */
export function Page({ title, lead, wide, children }: PageProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} · ${APP_NAME}`;
  }, [title]);
  useEffect(() => {
    const place = heading.current;
    if (!firstView && place?.parentElement?.contains(document.activeElement) !== true) place?.focus();
    firstView = false;
  }, []);
  return (
    <div className={classes.page} data-wide={wide || undefined}>
      <Title order={1} ref={heading} tabIndex={-1} className={classes.heading}>
        {title}
      </Title>
      {lead && (
        <Text component="div" className={classes.lead}>
          {lead}
        </Text>
      )}
      {children}
    </div>
  );
}
