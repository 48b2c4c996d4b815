import { Button, Group, Stack, Text, Title } from '@mantine/core';
import { useEffect, useId, useRef, useState } from 'react';
import type { SchemaPlan, SchemaStep } from '../../api/openapi.js';
import { useTexts } from '../../texts/texts.js';
import { Notice } from '../../ui/notice.js';
import { translateStep } from './translate-schema-fault.js';
import classes from './model.module.css';

interface PlanViewProps {
  plan: SchemaPlan;
  busy: boolean;
  onApply: () => void;
  onCancel: () => void;
}

export function PlanView({ plan, busy, onApply, onCancel }: PlanViewProps) {
  const { model } = useTexts('model');
  const [isAgreed, setAgreed] = useState(false);
  const title = useId();
  const heading = useRef<HTMLHeadingElement>(null);
  // Moves the focus here, because the submit button may be far below.
  useEffect(() => heading.current?.focus(), []);
  return (
    <section className={classes.plan} aria-labelledby={title}>
      <Title order={2} id={title} ref={heading} tabIndex={-1}>
        {model.plan.title}
      </Title>
      {plan.steps.length === 0 && <Text>{model.plan.nothing}</Text>}
      <ol className={classes.steps}>
        {plan.steps.map((step, index) => (
          <Step key={index} step={step} />
        ))}
      </ol>
      {plan.missed_indexes.map(({ schema, columns, seen, mean_ms }) => (
        <Text key={`${schema} ${columns.join(' ')}`} size="sm">
          {model.plan.missed(schema, columns.join(', '), seen, mean_ms)}
        </Text>
      ))}
      {plan.blocked && <Notice tone="problem">{model.plan.blocked}</Notice>}
      {plan.loses_data && !plan.blocked && (
        <Notice tone="problem">
          <Stack gap="xs">
            {model.plan.loses}
            <label className={classes.check}>
              <input type="checkbox" checked={isAgreed} onChange={({ target }) => setAgreed(target.checked)} />
              {model.plan.agree}
            </label>
          </Stack>
        </Notice>
      )}
      <Group>
        <Button
          loading={busy}
          disabled={plan.blocked || plan.steps.length === 0 || (plan.loses_data && !isAgreed)}
          onClick={onApply}
        >
          {model.plan.apply}
        </Button>
        <Button variant="default" onClick={onCancel}>
          {model.plan.cancel}
        </Button>
      </Group>
    </section>
  );
}

function Step({ step }: { step: SchemaStep }) {
  const texts = useTexts('model');
  const { model } = texts;
  return (
    <li data-loses={step.loses_data || undefined}>
      <span>{translateStep(step.words, texts)}</span>
      {step.loses_data && <span className={classes.loss}>{model.plan.rows(step.rows ?? 0)}</span>}
      {step.problems.map((problem, index) => (
        <Problem key={index} problem={problem} />
      ))}
      {step.sql.length > 0 && (
        <details>
          <summary>{model.plan.sql}</summary>
          <pre className={classes.sql}>{step.sql.join(';\n')}</pre>
        </details>
      )}
    </li>
  );
}

function Problem({ problem }: { problem: object }) {
  const texts = useTexts('model');
  const { message, examples } = problem as { readonly message: string; readonly examples: readonly string[] };
  return (
    <div className={classes.loss}>
      {translateStep(message, texts)}{' '}
      {examples.length > 0 && <code className={classes.examples}>{examples.join('  ')}</code>}
    </div>
  );
}
