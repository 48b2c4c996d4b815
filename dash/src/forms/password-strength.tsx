import { useEffect, useState } from 'react';
import classes from './password-strength.module.css';
import type { Estimate } from './strength-estimate.js';
import { rateStrength } from './strength-rating.js';

interface PasswordStrengthProps {
  password: string;
  personalTexts: string[];
}

/** Strength of a password. Its line is always rendered, so that the layout does not shift. */
export function PasswordStrength({ password, personalTexts }: PasswordStrengthProps) {
  const estimate = useEstimate(password !== '');
  const { level, text } = rateStrength(password, estimate?.(password, personalTexts) ?? null);
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

/** Loads the estimator when it is needed, because its dictionary is as large as the rest of the page. */
function useEstimate(isNeeded: boolean): Estimate | null {
  const [estimate, setEstimate] = useState<Estimate | null>(null);
  useEffect(() => {
    if (!isNeeded) return;
    // Without it, the service still rejects weak passwords.
    import('./strength-estimate.js')
      .then(({ estimateStrength }) => setEstimate(() => estimateStrength))
      .catch(() => {});
  }, [isNeeded]);
  return estimate;
}
