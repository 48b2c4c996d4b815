import { Stack, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ApiError } from '../../../api/api-error.js';
import type { NewApiKey } from '../../../api/openapi.js';
import { FormProblem } from '../../../forms/form-problem.js';
import { useForm, type Values } from '../../../forms/use-form.js';
import { getPermissions, type KeyStore, type NewKeyInput, PERMISSIONS } from '../../../session/keys-api.js';
import { Loading } from '../../../ui/loading.js';
import { TryAgain } from '../../../ui/try-again.js';
import { FormButtons } from '../../../forms/form-buttons.js';
import styles from '../account.module.css';
import { offeredScopes } from './key-scopes.js';
import classes from './keys.module.css';
import { texts, useTexts } from '../../../texts/texts.js';
import { ScopeChoices } from './scope-choices.js';

interface NewKeyFormProps {
  store: KeyStore;
  onCreated: (key: NewApiKey) => void;
  onCancel: () => void;
}

export function NewKeyForm({ store, onCreated, onCancel }: NewKeyFormProps) {
  const { keys } = useTexts('account');
  const [isFullAccess, setFullAccess] = useState(false);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [isForever, setForever] = useState(false);
  const query = { queryKey: PERMISSIONS, queryFn: getPermissions, staleTime: 0 };
  const { data: permissions, error, refetch } = useQuery(query);
  const form = useForm({
    send: (values) => createKey(store, values, { chosen: isFullAccess ? null : chosen, isForever }),
    done: onCreated,
    messages: {
      too_many_keys: { text: keys.tooMany },
    },
  });
  if (error && !permissions) return <TryAgain error={error} onRetry={() => void refetch()} />;
  if (!permissions) return <Loading />;
  return (
    <form {...form.props} aria-label={keys.create}>
      <Stack>
        <FormProblem text={form.problem} />
        <TextInput
          className={styles.narrow}
          label={keys.name}
          description={keys.nameHint}
          name="name"
          required
          withAsterisk={false}
          autoComplete="off"
          maxLength={100}
          error={form.error('name')}
          autoFocus
        />
        <ScopeChoices
          offered={offeredScopes(permissions)}
          of={store.of}
          isFullAccess={isFullAccess}
          onFullAccessChange={setFullAccess}
          chosen={chosen}
          onChosen={setChosen}
        />
        {store.of === 'program' && (
          <label className={classes.choice}>
            <input type="checkbox" checked={isForever} onChange={(event) => setForever(event.currentTarget.checked)} />
            {keys.forever}
          </label>
        )}
        {!isForever && (
          <TextInput
            className={styles.narrow}
            label={keys.days}
            name="expires_in_days"
            type="number"
            min={1}
            max={3_650}
            defaultValue="90"
            required
            withAsterisk={false}
            error={form.error('expires_in_days')}
          />
        )}
        <TextInput
          className={styles.narrow}
          label={keys.addresses}
          description={keys.addressesHint}
          name="addresses"
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          error={form.error('addresses')}
        />
        <div className={styles.narrow}>
          <FormButtons submit={keys.create} busy={form.busy} onCancel={onCancel} />
        </div>
      </Stack>
    </form>
  );
}

/** Values beside the inputs: the selected resources, or null for all permissions of the owner; and whether the key never expires. */
interface Choices {
  chosen: ReadonlySet<string> | null;
  isForever: boolean;
}

async function createKey(store: KeyStore, values: Values, { chosen, isForever }: Choices): Promise<NewApiKey> {
  if (chosen?.size === 0)
    throw new ApiError({ status: 0, code: 'nothing_chosen', message: texts('account').keys.noneSelected });
  const { name = '', expires_in_days: days = '', addresses = '' } = values;
  const networks = addresses.split(/[\s,]+/).filter((text) => text !== '');
  const input: NewKeyInput = {
    name: name.trim(),
    expires_in_days: isForever ? null : Number(days),
    ...(chosen && { scopes: [...chosen].map((resource) => ({ resource, value: 'allow' })) }),
    ...(networks.length > 0 && { addresses: networks }),
  };
  try {
    return await store.create(input);
  } catch (fault) {
    throw fault instanceof ApiError ? atInputs(fault) : fault;
  }
}

/** Assigns errors of single addresses to the input of the list. */
function atInputs(fault: ApiError): ApiError {
  const { status, code, message, retryAfterSeconds, requestId } = fault;
  const fields = fault.fields.map((item) => ({ ...item, field: item.field.replace(/^addresses\.\d+$/, 'addresses') }));
  return new ApiError({ status, code, message, retryAfterSeconds, requestId, fields });
}
