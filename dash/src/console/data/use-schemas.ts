import { useQuery } from '@tanstack/react-query';
import type { records as Words } from '../../texts/en/records.js';
import type { Texts } from '../../texts/en/en.js';
import { useTexts } from '../../texts/texts.js';
import { getWorld } from './records-api.js';

/**
 * Returns what may be seen of the schemas; asked for once, again where something was refused, and in another language. If the words
 * of records are not there, fields without a label are called by their names.
 */
export function useSchemas() {
  const { language, records } = useTexts() as Texts & {
    readonly records?: typeof Words;
  };
  return useQuery({
    queryKey: ['records', 'world', records === undefined ? null : language],
    queryFn: () => getWorld(records),
    staleTime: 60_000,
  });
}
