import { TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Measurement } from '../../api/openapi.js';
import account from '../../pages/account/account.module.css';
import { Section } from '../../pages/account/section.js';
import { useTexts } from '../../texts/texts.js';
import { Loading } from '../../ui/loading.js';
import { TryAgain } from '../../ui/try-again.js';
import { When } from '../../ui/when.js';
import { sizeText } from '../../ui/size-text.js';
import { glanceOf, type Tile } from './glance.js';
import { measure, SERVICE } from './service-api.js';
import classes from './service.module.css';

const LOOK_AGAIN_MS = 10_000;

export function Glance() {
  const { service } = useTexts('service');
  const { glance: words } = service;
  const { data, error, refetch } = useQuery({
    queryKey: [...SERVICE, 'glance'],
    queryFn: measure,
    refetchInterval: LOOK_AGAIN_MS,
  });
  return (
    <Section title={service.partNames.glance} lead={words.lead}>
      {error ? <TryAgain error={error} onRetry={() => void refetch()} /> : !data && <Loading />}
      {data && (
        <>
          <dl className={classes.tiles}>
            {glanceOf(data).map((tile) => (
              <div key={tile.name} data-bad={tile.isBad || undefined}>
                <dt>{words.tiles[tile.name]}</dt>
                <dd>
                  <TileValue tile={tile} />
                  {tile.isBad && (
                    <span className={classes.state} data-bad>
                      {words.look}
                    </span>
                  )}
                </dd>
              </div>
            ))}
          </dl>
          <div className={account.rowNote}>
            {words.process(data.process.node, data.process.worker, Math.round(data.process.processor_seconds))}
          </div>
          <details className={classes.measures}>
            <summary>{words.everything}</summary>
            <Everything metrics={data.metrics} />
          </details>
        </>
      )}
    </Section>
  );
}

function TileValue({ tile: { value, form, of } }: { tile: Tile }) {
  const { service, locale } = useTexts('service');
  const number = (count: number): string => new Intl.NumberFormat(locale, { maximumFractionDigits: 0 }).format(count);
  if (form === 'moment')
    return value === 0 ? service.glance.never : <When time={new Date(value * 1_000).toISOString()} as="age" />;
  if (form === 'bytes') return sizeText(value, locale);
  if (form === 'yes') return value === 0 ? service.glance.no : service.glance.yes;
  if (form === 'seconds') return service.glance.seconds(Math.round(value));
  return of === undefined ? number(value) : service.glance.of(number(value), number(of));
}

function Everything({ metrics }: Pick<Measurement, 'metrics'>) {
  const { service, locale } = useTexts('service');
  const { glance: words } = service;
  const [text, setText] = useState('');
  const wanted = text.trim().toLowerCase();
  const shown = metrics.filter(({ name, help }) => `${name} ${help}`.toLowerCase().includes(wanted));
  const number = new Intl.NumberFormat(locale);
  return (
    <>
      <TextInput
        type="search"
        label={words.search}
        className={classes.filter}
        value={text}
        onChange={({ currentTarget }) => setText(currentTarget.value)}
        autoComplete="off"
        spellCheck={false}
      />
      {shown.length === 0 && (
        <div role="status" className={account.rowNote}>
          {words.none}
        </div>
      )}
      <dl className={classes.settings}>
        {shown.map(({ name, help, values }) => (
          <div key={name}>
            <dt>
              <code>{name}</code>
              <div className={account.rowNote} lang="en">
                {help}
              </div>
            </dt>
            <dd>
              <ul className={classes.values}>
                {values
                  .filter(({ value }) => values.length === 1 || value !== 0)
                  .map(({ labels, value }) => (
                    <li key={Object.values(labels).join(' ')}>
                      {Object.values(labels).join(' · ')} <strong>{number.format(value)}</strong>
                    </li>
                  ))}
              </ul>
            </dd>
          </div>
        ))}
      </dl>
    </>
  );
}
