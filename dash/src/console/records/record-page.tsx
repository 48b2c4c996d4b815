import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { lazy, Suspense, useEffect, useRef, useState } from 'react';
import { ApiError } from '../../api/api-error.js';
import { useSession } from '../../session/use-session.js';
import { useTexts, withTexts } from '../../texts/texts.js';
import { APP_NAME } from '../../ui/app-name.js';
import { GoTo } from '../../ui/go-to.js';
import { Loading } from '../../ui/loading.js';
import { Notice } from '../../ui/notice.js';
import { RouteLink } from '../../ui/route-link.js';
import { TryAgain } from '../../ui/try-again.js';
import { nameOf } from './record-name.js';
import { RecordForm } from './record-form.js';
import { type RecordSchema, labelFromName } from '../data/record-schema.js';
import classes from './records.module.css';
import { getRecord, type ReadRecord, type RecordContext } from '../data/records-api.js';
import { canExplainAccess } from '../frame/sections.js';
import { useSchemas } from '../data/use-schemas.js';

const loadApi = withTexts('reference', () => import('../../console/api-samples/api-section.js'));
const ApiSection = lazy(async () => ({ default: (await loadApi()).ApiSection }));
const NEW: ReadRecord = { values: {}, tag: '' };

export function RecordPage() {
  const { records } = useTexts('records');
  const { schema: name = '', id = '' } = useParams({ strict: false });
  const session = useSession();
  const { data: context, error, refetch } = useSchemas();
  const schema = context?.schemas.get(name);
  const [isApi, setApi] = useState(false);
  if (session.status === 'signed-out') return <GoTo to="/dash/login" />;
  return (
    <div className={classes.page}>
      <nav className={classes.head}>
        <RouteLink to="/dash/records">{records.title}</RouteLink>
        <span aria-hidden>/</span>
        <RouteLink to="/dash/records/$schema" params={{ schema: name }}>
          {records.back(labelFromName(name))}
        </RouteLink>
        {context && id !== 'new' && canExplainAccess(context.permissions) && (
          <RouteLink to="/dash/access" search={{ of: name, about: id }} className={classes.why}>
            {records.why}
          </RouteLink>
        )}
        {schema && id !== 'new' && !isApi && (
          <Button variant="default" size="xs" onClick={() => setApi(true)}>
            {records.api}
          </Button>
        )}
      </nav>
      {error ? <TryAgain error={error} onRetry={() => void refetch()} /> : !context && <Loading />}
      {context && !schema && <Notice tone="problem">{records.noSchema}</Notice>}
      {schema && isApi && (
        <Suspense fallback={<Loading />}>
          <ApiSection schema={name} target={{ id }} onClose={() => setApi(false)} />
        </Suspense>
      )}
      {context && schema && <OneRecord key={`${name}/${id}`} context={context} schema={schema} id={id} />}
    </div>
  );
}

/**
 * Reads the record when the page opens and when the window gets the focus again. Shows a hint if it has changed, and overwrites nothing.
 */
function OneRecord({ context, schema, id }: { context: RecordContext; schema: RecordSchema; id: string }) {
  const { records } = useTexts('records');
  const heading = useRef<HTMLHeadingElement>(null);
  const isNew = id === 'new';
  const { data, error, refetch } = useQuery({
    queryKey: ['records', 'one', schema.name, id],
    queryFn: () => (isNew ? Promise.resolve(NEW) : getRecord(context, schema, id)),
    refetchOnWindowFocus: isNew ? false : 'always',
    gcTime: 0,
  });
  const title = isNew
    ? records.newOf(labelFromName(schema.name))
    : data
      ? nameOf(schema, data.values)
      : labelFromName(schema.name);
  useEffect(() => {
    document.title = `${title} · ${APP_NAME}`;
  }, [title]);
  useEffect(() => heading.current?.focus(), [data === undefined]);
  const isMissing = error instanceof ApiError && error.code === 'record_not_found';
  return (
    <div className={classes.form}>
      <h1 ref={heading} tabIndex={-1} className={classes.title}>
        {title}
      </h1>
      {isMissing ? (
        <Notice tone="problem">{records.missing}</Notice>
      ) : error && data === undefined ? (
        <TryAgain error={error} onRetry={() => void refetch()} />
      ) : (
        data === undefined && <Loading />
      )}
      {data && !isMissing && (
        <RecordForm
          context={context}
          schema={schema}
          id={isNew ? null : id}
          newest={data}
          onRead={() => void refetch()}
        />
      )}
    </div>
  );
}
