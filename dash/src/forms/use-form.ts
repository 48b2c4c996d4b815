import { useMutation } from '@tanstack/react-query';
import { type FormEvent, type RefObject, useRef, useState } from 'react';
import { explain, type ErrorMessages } from '../api/explain.js';
import { checkFields, inputsOf } from './field-checks.js';
import { useFieldFaults } from './use-field-faults.js';

export type Values = Record<string, string>;

export interface FormOptions<Answer> {
  send: (values: Values) => Promise<Answer>;
  done?: (answer: Answer, values: Values) => void;
  /** Texts that replace the default ones of an error. */
  messages?: ErrorMessages;
}

export interface Form {
  props: {
    ref: RefObject<HTMLFormElement | null>;
    noValidate: true;
    onSubmit: (event: FormEvent) => void;
    onInput: (event: FormEvent) => void;
  };
  error: (name: string) => string | undefined;
  problem: string | null;
  cause: unknown;
  busy: boolean;
}

/**
 * Form with uncontrolled inputs and translated browser validation. Sends one request at a time. Assigns errors to their inputs and focuses
 * the first one. An error disappears when its input changes.
 */
export function useForm<Answer>({ send, done, messages }: FormOptions<Answer>): Form {
  const ref = useRef<HTMLFormElement>(null);
  const { faults, show, correct } = useFieldFaults(ref);
  const [problem, setProblem] = useState<string | null>(null);
  const { mutate, isPending, error } = useMutation({ mutationFn: send, onSuccess: done });

  function onSubmit(event: FormEvent): void {
    event.preventDefault();
    const form = ref.current;
    if (!form || isPending) return;
    const found = checkFields(form);
    setProblem(null);
    show(found);
    if (Object.keys(found).length > 0) return;
    mutate(valuesOf(form), {
      onError: (reason) => {
        const names = inputsOf(form).map(({ name }) => name);
        const explained = explain(reason, names, messages);
        setProblem(explained.problem);
        show(explained.fields);
      },
    });
  }

  return {
    props: {
      ref,
      noValidate: true,
      onSubmit,
      onInput: (event) => {
        setProblem(null);
        correct(event);
      },
    },
    error: (name) => faults[name],
    problem,
    cause: error,
    busy: isPending,
  };
}

function valuesOf(form: HTMLFormElement): Values {
  const values: Values = {};
  for (const [name, value] of new FormData(form)) if (typeof value === 'string') values[name] = value;
  return values;
}
