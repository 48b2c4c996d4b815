import { useEffect, useState } from 'react';
import classes from './password-strength.module.css';
import type { Estimate } from './strength-estimate.js';
import { judge } from './strength-words.js';

interface PasswordStrengthProps {
  password: string;
  /** Texts by which its owner is known. */
  known: string[];
}

/** Says what a password is worth, while it is typed. Its line is there from the beginning, so that nothing moves. */
export function PasswordStrength({ password, known }: PasswordStrengthProps) {
  const estimate = useEstimate(password !== '');
  const { level, text } = judge(password, estimate?.(password, known) ?? null);
  return (
    <div className={classes.line} data-level={level}>
      <span className={classes.bars} aria-hidden>
        {BARS.map((bar) => (
          <span key={bar} data-full={bar <= level || undefined} />
        ))}
      </span>
      <span role="status">{text}</span>
    </div>
  );
}

const BARS = [1, 2, 3, 4];

/**
 * Loads the estimate of a password once it is needed. The estimate comes with a list of words as big as all the rest, so nobody loads
 * it who types no password.
 */
function useEstimate(isNeeded: boolean): Estimate | null {
  const [estimate, setEstimate] = useState<Estimate | null>(null);
  useEffect(() => {
    if (!isNeeded) return;
    // Without it, the service says what it refuses.
    import('./strength-estimate.js')
      .then(({ estimateStrength }) => setEstimate(() => estimateStrength))
      .catch(() => {});
  }, [isNeeded]);
  return estimate;
}
