import { Input } from '@mantine/core';
import { useId, useState } from 'react';
import { useTexts } from '../../texts/texts.js';
import { Loading } from '../../ui/loading.js';
import { Page } from '../../ui/page.js';
import { RouteLink } from '../../ui/route-link.js';
import { TryAgain } from '../../ui/try-again.js';
import { labelFromName } from '../data/record-schema.js';
import { OF_SERVICE } from '../data/service-schemas.js';
import { useSchemas } from '../data/use-schemas.js';
import { useCan } from '../frame/use-can.js';
import classes from './records.module.css';

/** Number of schemas up to which no search is shown. */
const MIN_SCHEMAS_FOR_SEARCH = 12;

export function RecordsPage() {
  const { records } = useTexts('records');
  const can = useCan();
  const { data: context, error, refetch } = useSchemas();
  const [query, setQuery] = useState('');
  const names = [...(context?.schemas.keys() ?? [])].sort();
  const found = names.filter((name) =>
    `${name} ${labelFromName(name)}`.toLowerCase().includes(query.trim().toLowerCase()),
  );
  const own = found.filter((name) => !OF_SERVICE.includes(name));
  const others = found.filter((name) => OF_SERVICE.includes(name));
  const hasOwn = names.some((name) => !OF_SERVICE.includes(name));
  return (
    <Page wide title={records.title} lead={records.lead}>
      {error ? <TryAgain error={error} onRetry={() => void refetch()} /> : !context && <Loading />}
      {context && names.length === 0 && <div className={classes.note}>{records.noSchemas}</div>}
      {context && !hasOwn && can('schema.create') && (
        <div>
          {records.noOwnSchemas}{' '}
          <RouteLink to="/dash/model/$schema" params={{ schema: '+' }}>
            {records.firstSchema}
          </RouteLink>
        </div>
      )}
      {names.length > MIN_SCHEMAS_FOR_SEARCH && <Search value={query} found={found.length} onChange={setQuery} />}
      {own.length > 0 && <Schemas label={records.schemas} names={own} />}
      {others.length > 0 && (
        <>
          <h2 className={classes.kind}>{records.ofService}</h2>
          <Schemas label={records.ofService} names={others} />
        </>
      )}
    </Page>
  );
}

interface SearchProps {
  readonly value: string;
  readonly found: number;
  readonly onChange: (value: string) => void;
}

function Search({ value, found, onChange }: SearchProps) {
  const { records } = useTexts('records');
  const id = useId();
  return (
    <Input.Wrapper id={id} label={records.findSchema} size="xs">
      <Input
        id={id}
        type="search"
        size="sm"
        value={value}
        autoComplete="off"
        onChange={(event) => onChange(event.currentTarget.value)}
      />
      <div role="status" className={classes.note}>
        {found === 0 && records.nothingFound}
      </div>
    </Input.Wrapper>
  );
}

function Schemas({ label, names }: { readonly label: string; readonly names: readonly string[] }) {
  return (
    <ul className={classes.schemas} aria-label={label}>
      {names.map((schema) => (
        <li key={schema}>
          <RouteLink to="/dash/records/$schema" params={{ schema }}>
            {labelFromName(schema)}
          </RouteLink>
        </li>
      ))}
    </ul>
  );
}
