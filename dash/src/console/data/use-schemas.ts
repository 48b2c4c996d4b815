import { useQuery } from '@tanstack/react-query';
import type { records as Words } from '../../texts/en/records.js';
import type { Texts } from '../../texts/en/en.js';
import { useTexts } from '../../texts/texts.js';
import { getRecordContext } from './records-api.js';

/**
 * Loads the schemas that the caller can read. Loads them again after a language change, because labels are translated. Without the texts of
 * records, fields without a label get their name.
 */
export function useSchemas() {
  const { language, records } = useTexts() as Texts & {
    readonly records?: typeof Words;
  };
  return useQuery({
    queryKey: ['records', 'world', records === undefined ? null : language],
    queryFn: () => getRecordContext(records),
    staleTime: 60_000,
  });
}
