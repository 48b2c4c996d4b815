import type { ReactNode } from 'react';
import classes from './links.module.css';
import { useTexts } from '../texts/texts.js';

export function Links({ children }: { children: ReactNode }) {
  const { frame } = useTexts();
  return (
    <nav aria-label={frame.otherWays} className={classes.links}>
      {children}
    </nav>
  );
}
