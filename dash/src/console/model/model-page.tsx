import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { SchemaDefinition } from '../../api/openapi.js';
import { useTexts } from '../../texts/texts.js';
import { Loading } from '../../ui/loading.js';
import { Notice } from '../../ui/notice.js';
import { RouteButton, RouteLink } from '../../ui/route-link.js';
import { TryAgain } from '../../ui/try-again.js';
import { ConsolePage } from '../frame/console-page.js';
import { useMay } from '../frame/use-may.js';
import { History } from './history.js';
import { listSchemas, MODEL } from './model-api.js';
import classes from './model.module.css';

const route = getRouteApi('/dash/model');

/** All schemas, and how they came to be. */
export function ModelPage() {
  const { model } = useTexts('model');
  const may = useMay();
  const { applied } = route.useSearch();
  const { data: schemas, error, refetch } = useQuery({ queryKey: [...MODEL, 'schemas'], queryFn: listSchemas });
  return (
    <ConsolePage
      title={model.title}
      lead={model.lead}
      actions={
        may('schema.create') && (
          <RouteButton size="sm" to="/dash/model/$schema" params={{ schema: '+' }}>
            {model.newSchema}
          </RouteButton>
        )
      }
    >
      {applied && <Notice tone="success">{model.applied(applied)}</Notice>}
      {error ? <TryAgain error={error} onRetry={() => void refetch()} /> : !schemas && <Loading />}
      <ul className={classes.schemas} aria-label={model.title}>
        {schemas?.map((schema) => (
          <li key={schema.name}>
            <RouteLink to="/dash/model/$schema" params={{ schema: schema.name }}>
              {schema.name}
            </RouteLink>
            <Outline schema={schema} />
          </li>
        ))}
      </ul>
      {may('schema.history') && <History mayUndo={may('schema.undo')} />}
    </ConsolePage>
  );
}

/** What a schema has, in a line, and where it leads. */
function Outline({ schema: { fields = [] } }: { schema: SchemaDefinition }) {
  const { model } = useTexts('model');
  const relations = fields.filter(({ type }) => type === 'relation');
  const targets = [...new Set(relations.flatMap(({ relation }) => relation?.schema ?? []))];
  return (
    <div className={classes.outline}>
      {model.fieldCount(fields.length - relations.length)}
      {targets.length > 0 && <> · → {targets.join(', ')}</>}
    </div>
  );
}
