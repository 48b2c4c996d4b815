import { type FormEvent, type RefObject, useEffect, useState } from 'react';
import { inputsOf, withoutCorrected } from './field-checks.js';

export interface FieldFaults {
  readonly faults: Readonly<Record<string, string>>;
  /** Shows the errors of an attempt, and focuses the first of their inputs. */
  readonly show: (found: Record<string, string>) => void;
  /** Removes the errors of the changed input. */
  readonly correct: (event: FormEvent) => void;
}

const NO_FAULTS: Record<string, string> = {};

/** Errors of the inputs of a form. An error is removed as soon as its input changes. */
export function useFieldFaults(ref: RefObject<HTMLFormElement | null>): FieldFaults {
  const [faults, setFaults] = useState(NO_FAULTS);
  const [found, setFound] = useState(NO_FAULTS);
  // Only new errors move the focus. A correction must not take it away from the input.
  useEffect(() => {
    if (!ref.current || Object.keys(found).length === 0) return;
    inputsOf(ref.current)
      .find(({ name }) => name in found)
      ?.focus();
  }, [ref, found]);
  return {
    faults,
    show: (next) => {
      setFaults(next);
      setFound(next);
    },
    correct: ({ target }) => {
      if (target instanceof Element)
        setFaults((previous) => withoutCorrected(previous, target.getAttribute('name') ?? ''));
    },
  };
}
