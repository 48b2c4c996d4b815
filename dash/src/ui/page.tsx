import { Text, Title } from '@mantine/core';
import { type ReactNode, useEffect, useRef } from 'react';
import { APP_NAME } from './app-name.js';
import classes from './page.module.css';

interface PageProps {
  title: string;
  lead?: ReactNode;
  wide?: boolean;
  children?: ReactNode;
}

let firstView = true;

/**
 * A view with its heading. The heading gets the focus when the view replaces another one, unless an input of the view has it. So screen
 * readers announce the change. Each view of a page needs its own `key`.
 */
export function Page({ title, lead, wide, children }: PageProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} · ${APP_NAME}`;
  }, [title]);
  useEffect(() => {
    const element = heading.current;
    if (!firstView && element?.parentElement?.contains(document.activeElement) !== true) element?.focus();
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
