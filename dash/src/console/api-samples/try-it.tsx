import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { serviceAddress } from '../../api/base-path.js';
import { explainAsText } from '../../api/explain.js';
import { authorized } from '../../session/authorized.js';
import { useTexts } from '../../texts/texts.js';
import { Notice } from '../../ui/notice.js';
import classes from './api-samples.module.css';
import { canBeTried, type SchemaOperation } from './schema-operations.js';

const MAX_CHARACTERS = 20_000;

export function TryIt({ operation }: { readonly operation: SchemaOperation }) {
  const { reference } = useTexts('reference');
  const { url } = operation.request;
  const send = useMutation({
    mutationFn: () => authorized<unknown>('GET', url.slice(serviceAddress().length)),
  });
  if (!canBeTried(operation)) return null;
  return (
    <div className={classes.tried}>
      <Button size="xs" variant="default" loading={send.isPending} onClick={() => send.mutate()}>
        {reference.send}
      </Button>
      {send.error && <Notice tone="problem">{explainAsText(send.error)}</Notice>}
      {send.data !== undefined && (
        <pre tabIndex={0} role="region" aria-label={reference.answer}>
          <code>{truncate(JSON.stringify(send.data, null, 2))}</code>
        </pre>
      )}
    </div>
  );
}

const truncate = (text: string): string => (text.length > MAX_CHARACTERS ? `${text.slice(0, MAX_CHARACTERS)}…` : text);
