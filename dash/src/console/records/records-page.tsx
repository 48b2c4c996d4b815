import { useTexts } from '../../texts/texts.js';
import { Loading } from '../../ui/loading.js';
import { Page } from '../../ui/page.js';
import { RouteLink } from '../../ui/route-link.js';
import { TryAgain } from '../../ui/try-again.js';
import { wordsOf } from '../data/record-schema.js';
import classes from './records.module.css';
import { useSchemas } from '../data/use-schemas.js';

/** The schemas whose records are open to whoever looks. */
export function RecordsPage() {
  const { records } = useTexts('records');
  const { data: world, error, refetch } = useSchemas();
  const names = [...(world?.schemas.keys() ?? [])].sort();
  return (
    <Page wide title={records.title} lead={records.lead}>
      {error ? <TryAgain error={error} onRetry={() => void refetch()} /> : !world && <Loading />}
      {world && names.length === 0 && <div className={classes.note}>{records.noSchemas}</div>}
      {names.length > 0 && (
        <ul className={classes.schemas} aria-label={records.schemas}>
          {names.map((schema) => (
            <li key={schema}>
              <RouteLink to="/dash/records/$schema" params={{ schema }}>
                {wordsOf(schema)}
              </RouteLink>
            </li>
          ))}
        </ul>
      )}
    </Page>
  );
}
