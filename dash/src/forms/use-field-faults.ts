import { type FormEvent, type RefObject, useEffect, useState } from 'react';
import { inputsOf, withoutCorrected } from './field-checks.js';

/** Errors of the inputs of a form. */
export interface FieldFaults {
  /** Sentences by the name of the input. */
  readonly faults: Readonly<Record<string, string>>;
  /** Shows the errors of an attempt, and moves the focus to the first of their inputs. */
  readonly show: (found: Record<string, string>) => void;
  /** Removes the errors that an input event corrects. */
  readonly correct: (event: FormEvent) => void;
}

const NO_FAULTS: Record<string, string> = {};

/** Keeps the errors of the inputs of a form. An error is removed as soon as its input is changed. */
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
      if (target instanceof Element) setFaults((known) => withoutCorrected(known, target.getAttribute('name') ?? ''));
    },
  };
}
