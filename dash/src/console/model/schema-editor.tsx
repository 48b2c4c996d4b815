import { Button, Group, Tabs } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { lazy, type ReactNode, Suspense, useEffect, useMemo, useRef, useState } from 'react';
import { explainAsText } from '../../api/explain.js';
import type { SchemaDefinition, SchemaPlan } from '../../api/openapi.js';
import { request } from '../../api/request.js';
import { useSession } from '../../session/use-session.js';
import { useTexts } from '../../texts/texts.js';
import { Loading } from '../../ui/loading.js';
import { Notice } from '../../ui/notice.js';
import { useSaveKey } from '../frame/use-save-key.js';
import type { Mark } from './code-editor.js';
import { completionsAt, type FormatSchema } from './completions.js';
import { FaultList } from './fault-list.js';
import { FieldList } from './field-list.js';
import { refusalMessages } from './translate-schema-fault.js';
import classes from './model.module.css';
import { applyChange, isPlanChanged, MODEL, planChange } from './model-api.js';
import { PlanView } from './plan-view.js';
import { withSuggestion } from './schema-faults.js';
import { useSchemaText } from './use-schema-text.js';

const CodeEditor = lazy(async () => ({ default: (await import('./code-editor.js')).CodeEditor }));

interface SchemaEditorProps {
  saved: SchemaDefinition;
  isNew: boolean;
  schemas: readonly SchemaDefinition[];
}

export function SchemaEditor({ saved, isNew, schemas }: SchemaEditorProps) {
  const { model } = useTexts('model');
  const session = useSession();
  const account = session.status === 'signed-in' ? session.account : '';
  const draft = useSchemaText(saved, `draft:${account}:schema:${isNew ? '+' : saved.name}`);
  const [goTo, setGoTo] = useState<{ offset: number } | null>(null);
  const { plan, apply, isOutdated, resetPlan } = usePlan(draft.definition, draft.options, draft.discard);
  const { data: format } = useQuery({
    queryKey: ['definition-format'],
    queryFn: () => request<FormatSchema>('GET', '/api/schema/definition.json'),
    staleTime: Infinity,
  });
  const names = useMemo(() => schemas.map(({ name }) => name), [schemas]);
  const existing = useMemo(() => new Set(isNew ? [] : saved.fields?.map(({ name }) => name)), [saved, isNew]);
  const types = useMemo(() => typesOf(format), [format]);
  const { own, text, write } = draft;
  const marks = useMemo(
    () =>
      own.map((fault): Mark => {
        const { suggestion } = fault;
        const action =
          suggestion === undefined
            ? undefined
            : { label: model.use(suggestion), apply: () => write(withSuggestion(text, fault)) };
        return { ...fault.range, message: fault.message, ...(action && { action }) };
      }),
    // `write` has a new identity in each render, but the same effect.
    // eslint-disable-next-line react-hooks/exhaustive-deps
    [own, text, model],
  );
  const change = (next: string): void => {
    resetPlan();
    write(next);
  };
  const canPlan = draft.isValid && (draft.isChanged || isNew);
  useSaveKey(() => (canPlan && !plan.isPending ? plan.mutate() : undefined));
  const problem = [draft.problem, apply.error].find((error) => error instanceof Error && !isPlanChanged(error));
  return (
    <div className={classes.editor}>
      {isOutdated && <Notice tone="problem">{model.plan.outdated}</Notice>}
      {plan.data && (
        <PlanView
          key={plan.data.hash}
          plan={plan.data}
          busy={apply.isPending}
          onApply={() => apply.mutate(plan.data)}
          onCancel={resetPlan}
        />
      )}
      {problem !== undefined && <Notice tone="problem">{explainAsText(problem, refusalMessages(model))}</Notice>}
      <div className={classes.sides}>
        <Tabs defaultValue="form" className={classes.side}>
          <Tabs.List>
            <Tabs.Tab value="form">{model.form.title}</Tabs.Tab>
            <Tabs.Tab value="faults">{model.faults.count(own.length + draft.elsewhere.length)}</Tabs.Tab>
          </Tabs.List>
          <Tabs.Panel value="form" pt="sm">
            <FieldList
              text={text}
              types={types}
              schemas={names}
              existing={existing}
              savedName={isNew ? null : saved.name}
              faults={own}
              onWrite={change}
            />
          </Tabs.Panel>
          <Tabs.Panel value="faults" pt="sm">
            <FaultList draft={draft} onGo={(offset) => setGoTo({ offset })} onWrite={change} />
          </Tabs.Panel>
        </Tabs>
        <div className={classes.side}>
          <Suspense fallback={<Loading />}>
            <CodeEditor
              label={model.json}
              value={text}
              marks={marks}
              form="document"
              complete={(written, offset) =>
                format === undefined ? null : completionsAt(written, offset, format, names)
              }
              goTo={goTo}
              onChange={change}
            />
          </Suspense>
          <div role="status" className={classes.state} data-valid={draft.isValid || undefined}>
            {draft.isChecking
              ? model.checking
              : draft.isValid
                ? model.valid
                : model.faults.count(own.length + draft.elsewhere.length)}
          </div>
        </div>
      </div>
      <Refused error={plan.error}>
        <Group>
          <Button disabled={!canPlan} loading={plan.isPending} onClick={() => plan.mutate()}>
            {model.plan.show}
          </Button>
          {draft.isChanged && (
            <Button variant="default" onClick={() => [resetPlan(), draft.discard()]}>
              {model.discard}
            </Button>
          )}
        </Group>
      </Refused>
    </div>
  );
}

/** Scrolls the error into view together with the buttons below it. */
function Refused({ error, children }: { error: Error | null; children: ReactNode }) {
  const { model } = useTexts('model');
  const container = useRef<HTMLDivElement>(null);
  useEffect(() => {
    // In braces: newer browsers return a promise, but React expects a cleanup function or nothing.
    if (error !== null) {
      container.current?.scrollIntoView({ block: 'nearest' });
    }
  }, [error]);
  return (
    <div ref={container} className={classes.editor}>
      {error !== null && <Notice tone="problem">{explainAsText(error, refusalMessages(model))}</Notice>}
      {children}
    </div>
  );
}

/** Requests the plan and applies exactly this plan. If it has changed, shows the new one. */
function usePlan(definition: SchemaDefinition | null, options: { backRefs: boolean }, onDone: () => void) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [isOutdated, setOutdated] = useState(false);
  const submitted = definition ?? { name: '' };
  const plan = useMutation({ mutationFn: () => planChange(submitted, options) });
  const apply = useMutation({
    mutationFn: (seen: SchemaPlan) => applyChange(submitted, seen, options),
    onSuccess: async () => {
      onDone();
      await queries.invalidateQueries({ queryKey: MODEL });
      await queries.invalidateQueries({ queryKey: ['records'] });
      await navigate({ to: '/dash/model', search: { applied: submitted.name } });
    },
    onError: (error) => {
      if (!isPlanChanged(error)) return;
      setOutdated(true);
      plan.mutate();
    },
  });
  const resetPlan = (): void => {
    setOutdated(false);
    plan.reset();
    apply.reset();
  };
  return { plan, apply, isOutdated, resetPlan };
}

/** Returns the canonical field types. The format lists the aliases after them. */
function typesOf(format: FormatSchema | undefined): readonly string[] {
  const all = format?.$defs?.['schema']?.properties?.['fields']?.items?.properties?.['type']?.enum ?? [];
  const names = all.filter((name): name is string => typeof name === 'string');
  return names.slice(0, names.indexOf('file') + 1);
}
