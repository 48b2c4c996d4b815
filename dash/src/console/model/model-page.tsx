import { Button, Group } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import type { SchemaDefinition } from '../../api/openapi.js';
import { useTexts, withTexts } from '../../texts/texts.js';
import { Loading } from '../../ui/loading.js';
import { Notice } from '../../ui/notice.js';
import { RouteButton, RouteLink } from '../../ui/route-link.js';
import { saveFile } from '../../ui/save-file.js';
import { TryAgain } from '../../ui/try-again.js';
import { ConsolePage } from '../frame/console-page.js';
import { useCan } from '../frame/use-can.js';
import { fileOf } from './import-files.js';
import { History } from './history.js';
import { listSchemas, MODEL } from './model-api.js';
import classes from './model.module.css';

const route = getRouteApi('/dash/model');
const VIEWS = ['list', 'diagram'] as const;

/** Loaded on demand. */
const loadDiagram = withTexts('diagram', () => import('../../console/diagram/diagram.js'));
const ImportSchemas = lazy(async () => ({ default: (await import('./import-schemas.js')).ImportSchemas }));
const Diagram = lazy(async () => ({ default: (await loadDiagram()).Diagram }));

export function ModelPage() {
  const { model } = useTexts('model');
  const can = useCan();
  const [isImporting, setImporting] = useState(false);
  const { applied, view, around } = route.useSearch();
  const navigate = route.useNavigate();
  const { data: schemas, error, refetch } = useQuery({ queryKey: [...MODEL, 'schemas'], queryFn: listSchemas });
  return (
    <ConsolePage
      title={model.title}
      lead={model.lead}
      actions={
        <Group gap="xs">
          {schemas && schemas.length > 0 && (
            <Button
              variant="default"
              size="sm"
              onClick={() => saveFile(new Blob([fileOf(schemas)], { type: 'application/json' }), 'schemas.json')}
            >
              {model.saveAll}
            </Button>
          )}
          {can('schema.create') && (
            <>
              {can('schema.convert') && (
                <Button variant="default" size="sm" onClick={() => setImporting(true)}>
                  {model.importing.open}
                </Button>
              )}
              <RouteButton size="sm" to="/dash/model/$schema" params={{ schema: '+' }}>
                {model.newSchema}
              </RouteButton>
            </>
          )}
        </Group>
      }
    >
      {isImporting && (
        <Suspense fallback={<Loading />}>
          <ImportSchemas onClose={() => setImporting(false)} />
        </Suspense>
      )}
      {applied && <Notice tone="success">{model.applied(applied)}</Notice>}
      {error ? <TryAgain error={error} onRetry={() => void refetch()} /> : !schemas && <Loading />}
      <nav className={classes.views} aria-label={model.views.label}>
        {VIEWS.map((item) => (
          <RouteLink
            key={item}
            to="/dash/model"
            search={item === 'list' ? {} : { view: item }}
            underline="never"
            activeOptions={{ exact: true }}
            {...((view === 'diagram') === (item === 'diagram') && { 'aria-current': 'page' as const })}
          >
            {model.views[item]}
          </RouteLink>
        ))}
      </nav>
      {schemas && view === 'diagram' && (
        <Suspense fallback={<Loading />}>
          <Diagram
            schemas={schemas}
            around={schemas.some(({ name }) => name === around) ? (around ?? null) : null}
            onAround={(next) => void navigate({ search: { view: 'diagram', ...(next !== null && { around: next }) } })}
          />
        </Suspense>
      )}
      {view !== 'diagram' && (
        <>
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
          {can('schema.history') && <History canUndo={can('schema.undo')} />}
        </>
      )}
    </ConsolePage>
  );
}

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
