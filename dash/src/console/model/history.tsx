import { Button, Group, Stack, Title } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { explainAsText } from '../../api/explain.js';
import type { SchemaVersion } from '../../api/openapi.js';
import { useTexts } from '../../texts/texts.js';
import { Notice } from '../../ui/notice.js';
import { TryAgain } from '../../ui/try-again.js';
import { When } from '../../ui/when.js';
import { listVersions, MODEL, refusedSteps, undoVersion } from './model-api.js';
import { refusalMessages, translateStep } from './translate-schema-fault.js';
import classes from './model.module.css';

const AT_ONCE = 3;

/** Lists the versions of the schemas, newest first. The newest can be undone if that loses no data. */
export function History({ canUndo }: { canUndo: boolean }) {
  const { model } = useTexts('model');
  const title = useId();
  const { data: versions, error, refetch } = useQuery({ queryKey: [...MODEL, 'versions'], queryFn: listVersions });
  return (
    <section className={classes.history} aria-labelledby={title}>
      <Title order={2} id={title}>
        {model.history.title}
      </Title>
      {error && <TryAgain error={error} onRetry={() => void refetch()} />}
      <ol className={classes.versions}>
        {versions?.map((version, index) => (
          <Version key={version.version} version={version} canUndo={canUndo && index === 0 && version.version > 1} />
        ))}
      </ol>
    </section>
  );
}

function Version({ version, canUndo }: { version: SchemaVersion; canUndo: boolean }) {
  const texts = useTexts('model');
  const { model } = texts;
  const [first, others] = [version.steps.slice(0, AT_ONCE), version.steps.slice(AT_ONCE)];
  return (
    <li>
      <Stack gap={4}>
        <div>
          <strong>{model.history.version(version.version)}</strong> · <When time={version.created_at} as="age" />
        </div>
        {first.length === 0 && <div>{model.plan.nothing}</div>}
        {first.map((step, index) => (
          <div key={index}>{translateStep(step, texts)}</div>
        ))}
        {others.length > 0 && (
          <details>
            <summary>{model.history.more(others.length)}</summary>
            <ul>
              {others.map((step, index) => (
                <li key={index}>{translateStep(step, texts)}</li>
              ))}
            </ul>
          </details>
        )}
        {canUndo && <Undo version={version.version} />}
      </Stack>
    </li>
  );
}

function Undo({ version }: { version: number }) {
  const { model } = useTexts('model');
  const queries = useQueryClient();
  /** Null before the first click. Afterwards, the focus follows the buttons. */
  const [isConfirming, setConfirming] = useState<boolean | null>(null);
  const undo = useMutation({
    mutationFn: () => undoVersion(version),
    onSuccess: () => queries.invalidateQueries({ queryKey: MODEL }),
    onSettled: () => setConfirming(false),
  });
  return (
    <>
      {undo.error && <Refusal error={undo.error} />}
      <Group gap="xs">
        {isConfirming ? (
          <>
            <Button size="xs" loading={undo.isPending} onClick={() => undo.mutate()}>
              {model.history.confirm(version)}
            </Button>
            <Button size="xs" variant="default" autoFocus onClick={() => setConfirming(false)}>
              {model.plan.cancel}
            </Button>
          </>
        ) : (
          <Button size="xs" variant="default" autoFocus={isConfirming === false} onClick={() => setConfirming(true)}>
            {model.history.undo}
          </Button>
        )}
      </Group>
    </>
  );
}

function Refusal({ error }: { error: unknown }) {
  const texts = useTexts('model');
  const { model } = texts;
  const steps = refusedSteps(error);
  return (
    <Notice tone="problem">
      {explainAsText(error, { ...refusalMessages(model), undo_impossible: { text: model.history.impossible } })}
      {steps.length > 0 && (
        <ul>
          {steps.map(({ words, rows }, index) => (
            <li key={index}>
              {translateStep(words, texts)} {rows !== undefined && rows > 0 && `(${model.plan.rows(rows)})`}
            </li>
          ))}
        </ul>
      )}
    </Notice>
  );
}
