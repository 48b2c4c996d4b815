import type { ReactNode } from 'react';
import classes from './links.module.css';

/** The quiet links under a form. */
export function Links({ children }: { children: ReactNode }) {
  return (
    <nav aria-label="Other ways" className={classes.links}>
      {children}
    </nav>
  );
}
