import type { ReactNode } from 'react';
import { Notice } from '../ui/notice.js';

interface FormProblemProps {
  text: string | null;
  /** Links to what the person can do about it. */
  children?: ReactNode;
}

/** Shows what is wrong with a form as a whole, read out when it appears. */
export function FormProblem({ text, children }: FormProblemProps) {
  if (!text) return null;
  return (
    <Notice tone="problem">
      {text} {children}
    </Notice>
  );
}
