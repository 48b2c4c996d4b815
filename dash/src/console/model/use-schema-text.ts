import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useState } from 'react';
import type { SchemaDefinition } from '../../api/openapi.js';
import { useTexts } from '../../texts/texts.js';
import { printDefinition, readDefinition, syntaxFault } from './definition-text.js';
import { translateSchemaFault } from './translate-schema-fault.js';
import { type ChangeOptions, findFaults, MODEL } from './model-api.js';
import { fieldsOf } from './field-edits.js';
import { type SchemaFault, type SortedFaults, sortFaults } from './schema-faults.js';

/** Delay between the last key press and the validation. */
const PAUSE_MS = 120;
const NO_FAULTS: readonly SchemaFault[] = [];

export interface SchemaText extends SortedFaults {
  readonly text: string;
  readonly definition: SchemaDefinition | null;
  readonly isChanged: boolean;
  /** Whether the current text was validated without faults. */
  readonly isValid: boolean;
  readonly isChecking: boolean;
  readonly problem: unknown;
  /** Whether the service creates missing back references; null if there are no relations. */
  readonly backRefs: boolean | null;
  readonly options: ChangeOptions;
  write: (text: string) => void;
  setBackRefs: (on: boolean) => void;
  discard: () => void;
}

/** Keeps the text across a reload, and validates it when the user pauses. */
export function useSchemaText(saved: SchemaDefinition, draftName: string): SchemaText {
  const texts = useTexts('model');
  const { noJson } = texts.model;
  const original = useMemo(() => printDefinition(saved), [saved]);
  const [text, setText] = useState(() => sessionStorage.getItem(draftName) ?? original);
  const [addsBackRefs, setBackRefs] = useState(true);
  const checked = useSettled(text);
  const definition = useMemo(() => readDefinition(text), [text]);
  const options = { backRefs: addsBackRefs };
  const query = useQuery({
    queryKey: [...MODEL, 'faults', checked, addsBackRefs],
    queryFn: () => findFaults(readDefinition(checked) as SchemaDefinition, options),
    enabled: readDefinition(checked) !== null,
    placeholderData: keepPreviousData,
    gcTime: 10_000,
  });
  const found = query.data ?? NO_FAULTS;
  const faults = useMemo(() => found.map((fault) => translateSchemaFault(fault, texts)), [found, texts]);
  const sorted = useMemo(() => {
    const broken = syntaxFault(text);
    if (broken === null) return sortFaults(text, definition?.name ?? '', faults);
    const fault = { code: 'json', message: noJson, schema: '', range: broken };
    return { own: [{ ...fault, line: text.slice(0, broken.from).split('\n').length }], elsewhere: [] };
  }, [text, definition, faults, noJson]);
  const isChecking = definition !== null && (checked !== text || query.isFetching);
  const hasRelations = fieldsOf(text).some(({ relation }) => relation !== undefined);
  return {
    ...sorted,
    text,
    definition,
    isChanged: text !== original,
    isValid: definition !== null && !isChecking && query.isSuccess && faults.length === 0,
    isChecking,
    problem: query.error,
    backRefs: hasRelations ? addsBackRefs : null,
    options,
    write: (next) => {
      setText(next);
      if (next === original) sessionStorage.removeItem(draftName);
      else storeText(draftName, next);
    },
    setBackRefs,
    discard: () => {
      sessionStorage.removeItem(draftName);
      setText(original);
      setBackRefs(true);
    },
  };
}

/** Stores the text. Removes it if the quota is exceeded. */
function storeText(name: string, text: string): void {
  try {
    sessionStorage.setItem(name, text);
  } catch {
    sessionStorage.removeItem(name);
  }
}

function useSettled(text: string): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = window.setTimeout(() => setSettled(text), PAUSE_MS);
    return () => window.clearTimeout(timer);
  }, [text]);
  return settled;
}
