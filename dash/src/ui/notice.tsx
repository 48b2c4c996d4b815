import type { ReactNode } from 'react';
import classes from './notice.module.css';

interface NoticeProps {
  tone: 'problem' | 'success' | 'plain';
  children: ReactNode;
}

/** Shows a sentence set apart. Problems are announced at once, the others when the reader pauses. */
export function Notice({ tone, children }: NoticeProps) {
  return (
    <div className={classes.notice} data-tone={tone} role={tone === 'problem' ? 'alert' : 'status'}>
      {children}
    </div>
  );
}
