import { useQueries } from '@tanstack/react-query';
import { useEffect, useMemo, useState } from 'react';
import type { ListView } from '../data/list-address.js';
import { writeSearch } from '../data/list-address.js';
import { PAGE_SIZE } from '../data/list-request.js';
import type { RecordValues } from '../data/record-changes.js';
import type { RecordSchema } from '../data/record-schema.js';
import { getPage, type RecordContext } from '../data/records-api.js';

const FRESH_MS = 300_000;
/** Unused pages are removed from the cache. Their cursors stay, so each can be loaded with one request. */
const CACHE_MS = 30_000;

export interface Rows {
  /** Number of known rows, plus one while there may be more. */
  readonly count: number;
  readonly at: (index: number) => RecordValues | undefined;
  readonly error: Error | null;
  readonly isFirst: boolean;
  readonly refetch: () => void;
  readonly loaded: readonly RecordValues[];
}

export interface ListRequest {
  readonly context: RecordContext;
  readonly schema: RecordSchema;
  readonly view: ListView;
  readonly columns: readonly string[];
}

function pagesKey({ schema, view, columns }: Omit<ListRequest, 'context'>): readonly unknown[] {
  return ['records', 'pages', schema.name, writeSearch(view), columns];
}

/** Loads the visible pages of a list. Each page provides the cursor of the next one. */
export function useRows(request: ListRequest, from: number, to: number): Rows {
  const { context, schema, view, columns } = request;
  const key = pagesKey(request);
  const [cursors, setCursors] = useState<readonly string[]>(['']);
  const last = cursors.length - 1;
  const first = Math.min(last, Math.floor(Math.max(0, from) / PAGE_SIZE));
  const end = Math.min(last, Math.floor(Math.max(0, to) / PAGE_SIZE));
  const shown = useMemo(() => Array.from({ length: end - first + 1 }, (_, at) => first + at), [first, end]);
  const pages = useQueries({
    queries: shown.map((page) => ({
      queryKey: [...key, cursors[page]],
      queryFn: () => getPage(context, schema, view, columns, cursors[page] ?? ''),
      staleTime: FRESH_MS,
      gcTime: CACHE_MS,
      refetchOnWindowFocus: false,
    })),
  });
  const ending = shown.at(-1) === last ? pages.at(-1)?.data : undefined;
  const next = ending?.next_cursor ?? null;
  useEffect(() => {
    if (next !== null) setCursors((previous) => (previous.length === last + 1 ? [...previous, next] : previous));
  }, [next, last]);
  const [size, setSize] = useState<number | null>(null);
  const isEnd = ending !== undefined && next === null;
  const tail = ending?.items.length ?? 0;
  useEffect(() => setSize(isEnd ? last * PAGE_SIZE + tail : null), [isEnd, last, tail]);
  const at = (index: number): RecordValues | undefined =>
    pages[Math.floor(index / PAGE_SIZE) - first]?.data?.items[index % PAGE_SIZE];
  return {
    count: size ?? last * PAGE_SIZE + Math.max(1, tail),
    at,
    error: pages.find(({ error }) => error !== null)?.error ?? null,
    isFirst: last === 0 && pages[0]?.data === undefined,
    refetch: () => void Promise.all(pages.map((page) => page.refetch())),
    loaded: pages.flatMap(({ data }) => data?.items ?? []),
  };
}
