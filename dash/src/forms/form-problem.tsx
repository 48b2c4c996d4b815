import type { ReactNode } from 'react';
import { Notice } from '../ui/notice.js';

interface FormProblemProps {
  text: string | null;
  children?: ReactNode;
}

/** Error of the whole form, announced by screen readers. */
export function FormProblem({ text, children }: FormProblemProps) {
  if (!text) return null;
  return (
    <Notice tone="problem">
      {text} {children}
    </Notice>
  );
}
