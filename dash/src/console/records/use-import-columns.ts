import { useEffect, useMemo, useState } from 'react';
import { useSession } from '../../session/use-session.js';
import type { RecordSchema } from '../data/record-schema.js';
import type { RecordContext } from '../data/records-api.js';
import {
  chosenColumns,
  type ColumnChoices,
  columnsParameter,
  columnTargets,
  type Delimiter,
  HEAD_BYTES,
  likelyDelimiter,
  readHead,
} from './import-columns.js';

/** Reads the start of a file and maps its columns. The mapping is kept across a reload and for the next file. */
export function useImportColumns(
  context: RecordContext,
  schema: RecordSchema,
  file: Blob | null,
  delimiter: Delimiter,
) {
  const session = useSession();
  const name = `draft:${session.status === 'signed-in' ? session.account : ''}:columns:${schema.name}`;
  const [choices, setChoices] = useState<ColumnChoices>(() => read(sessionStorage.getItem(name)));
  const [text, setText] = useState('');
  useEffect(() => {
    let isCurrent = true;
    setText('');
    void file
      ?.slice(0, HEAD_BYTES)
      .arrayBuffer()
      .then((bytes) => isCurrent && setText(decodeText(new Uint8Array(bytes))));
    return () => {
      isCurrent = false;
    };
  }, [file]);
  const head = useMemo(() => readHead(text, delimiter), [text, delimiter]);
  const actions = context.permissions.content[schema.name] ?? {};
  const writable = new Set([actions['create'], actions['update']].flatMap((action) => action?.fields ?? []));
  const columns = chosenColumns(head, schema, choices);
  return {
    head,
    choices,
    targets: columnTargets(schema, writable, context.schemas),
    likely: text === '' ? null : likelyDelimiter(text),
    /** Whether all columns are mapped or ignored. */
    isComplete: [...columns.values()].every((field) => field !== undefined),
    parameter: columnsParameter(columns),
    choose: (next: ColumnChoices): void => {
      sessionStorage.setItem(name, JSON.stringify(next));
      setChoices(next);
    },
  };
}

/** Decodes a text file as UTF-16 if it has a byte order mark for it, otherwise as UTF-8. */
function decodeText(bytes: Uint8Array): string {
  const [first, second] = bytes;
  const encoding =
    first === 0xff && second === 0xfe ? 'utf-16le' : first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8';
  return new TextDecoder(encoding).decode(bytes);
}

function read(text: string | null): ColumnChoices {
  try {
    const stored: unknown = JSON.parse(text ?? '{}');
    return Object.fromEntries(
      Object.entries(Object(stored) as object).filter(([, field]) => field === null || typeof field === 'string'),
    ) as ColumnChoices;
  } catch {
    return {};
  }
}
