import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { serviceAddress } from '../../api/base-path.js';
import { explainAsText } from '../../api/explain.js';
import type { OpenApi } from '../../reference/open-api.js';
import { LANGUAGES } from '../../reference/snippets.js';
import { authorized } from '../../session/authorized.js';
import { useTexts } from '../../texts/texts.js';
import { Loading } from '../../ui/loading.js';
import { Notice } from '../../ui/notice.js';
import { RouteLink } from '../../ui/route-link.js';
import { CodeBlock } from './code-block.js';
import classes from './api-samples.module.css';
import { type OpenTarget, operationsOf, type SchemaOperation } from './schema-operations.js';
import { typesOf } from './schema-types.js';
import { TryIt } from './try-it.js';

interface ApiSectionProps {
  readonly schema: string;
  readonly target: OpenTarget;
  readonly onClose: () => void;
}

const FORMS = [...LANGUAGES.map(({ title }) => title), 'TypeScript'];

/**
 * Shows the API requests for the open list or record as code, and the types of its records. Contains only requests that the caller is
 * allowed to make.
 */
export function ApiSection({ schema, target, onClose }: ApiSectionProps) {
  const { reference } = useTexts('reference');
  const title = useId();
  const [form, setForm] = useState(FORMS[0]);
  const { data: document, error } = useQuery({
    queryKey: ['records', 'openapi'],
    queryFn: () => authorized<OpenApi>('GET', '/api/openapi.json'),
    staleTime: 60_000,
  });
  const language = LANGUAGES.find((item) => item.title === form);
  return (
    <section className={classes.section} aria-labelledby={title}>
      <div className={classes.bar}>
        <h2 id={title}>{reference.title(schema)}</h2>
        <div className={classes.bar} role="group" aria-label={reference.form}>
          {FORMS.map((name) => (
            <Button
              key={name}
              size="xs"
              variant={name === form ? 'filled' : 'default'}
              aria-pressed={name === form}
              onClick={() => setForm(name)}
            >
              {name}
            </Button>
          ))}
        </div>
        <Button size="xs" variant="default" onClick={onClose}>
          {reference.close}
        </Button>
      </div>
      <div className={classes.note}>
        {language === undefined ? reference.typesLead : reference.lead}{' '}
        {language !== undefined && <RouteLink to="/dash/account">{reference.toKeys}</RouteLink>}
      </div>
      {error ? <Notice tone="problem">{explainAsText(error)}</Notice> : !document && <Loading />}
      {document && language === undefined && <CodeBlock label={reference.types} text={typesOf(document, schema)} />}
      {document &&
        language !== undefined &&
        operationsOf(document, schema, serviceAddress(), target).map((operation) => (
          <Operation key={operation.verb} operation={operation} code={language.write(operation.request)} />
        ))}
    </section>
  );
}

interface OperationProps {
  readonly operation: SchemaOperation;
  readonly code: string;
}

function Operation({ operation, code }: OperationProps) {
  const { reference } = useTexts('reference');
  const { verb, method, path } = operation;
  const [isOpen, setOpen] = useState(verb === 'list');
  const name = reference.verbs[verb];
  return (
    <details className={classes.operation} open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <span>{name}</span>
        <code>
          {method} {path}
        </code>
      </summary>
      {isOpen && (
        <>
          <CodeBlock label={name} text={code} />
          <TryIt operation={operation} />
        </>
      )}
    </details>
  );
}
