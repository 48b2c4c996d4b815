import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { useSession } from '../../session/use-session.js';
import { useTexts } from '../../texts/texts.js';
import { APP_NAME } from '../../ui/app-name.js';
import { GoTo } from '../../ui/go-to.js';
import { Loading } from '../../ui/loading.js';
import { Notice } from '../../ui/notice.js';
import { RouteLink } from '../../ui/route-link.js';
import { TryAgain } from '../../ui/try-again.js';
import { type ListView, readView, writeSearch } from '../data/list-address.js';
import { RecordList } from './record-list.js';
import { labelFromName } from '../data/record-schema.js';
import classes from './records.module.css';
import { useSchemas } from '../data/use-schemas.js';

export function ListPage() {
  const { records } = useTexts('records');
  const { schema: name = '' } = useParams({ strict: false });
  const search: unknown = useSearch({ strict: false });
  const navigate = useNavigate();
  const session = useSession();
  const heading = useRef<HTMLHeadingElement>(null);
  const { data: context, error, refetch } = useSchemas();
  const schema = context?.schemas.get(name);
  useEffect(() => {
    document.title = `${labelFromName(name)} · ${APP_NAME}`;
    heading.current?.focus();
  }, [name]);
  if (session.status === 'signed-out') return <GoTo to="/dash/login" />;
  const view = readView(search);
  const show = (next: ListView): void =>
    void navigate({ to: '/dash/records/$schema', params: { schema: name }, search: writeSearch(next) });
  return (
    <div className={classes.page}>
      <div className={classes.head}>
        <RouteLink to="/dash/records">{records.title}</RouteLink>
        <span aria-hidden>/</span>
        <h1 ref={heading} tabIndex={-1} className={classes.title}>
          {labelFromName(name)}
        </h1>
      </div>
      {error ? <TryAgain error={error} onRetry={() => void refetch()} /> : !context && <Loading />}
      {context && !schema && <Notice tone="problem">{records.noSchema}</Notice>}
      {context && schema && <RecordList key={name} context={context} schema={schema} view={view} onView={show} />}
    </div>
  );
}
