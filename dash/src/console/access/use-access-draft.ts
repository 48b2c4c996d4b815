import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { PermissionVerdict } from '../../api/openapi.js';
import { type Access, ACCESS, checkChanges, saveChanges } from './access-api.js';
import {
  type Change,
  changesOf,
  withCopy,
  type Draft,
  permissionsOf,
  grantOf,
  NO_CHANGES,
  withGrant,
} from './access-draft.js';
import type { Grant, Permission } from './access-model.js';

type Fault = PermissionVerdict['faults'][number];
interface GrantTarget {
  readonly role: string;
  readonly schema: string;
}

export interface AccessDraft {
  readonly permissions: readonly Permission[];
  readonly changes: readonly Change[];
  readonly grantOf: (role: string, resource: string) => Grant | null;
  readonly faultsOf: (role: string, resource: string) => readonly Fault[];
  readonly set: (role: string, resource: string, grant: Grant | null) => void;
  readonly copy: (from: GrantTarget, to: GrantTarget) => void;
  readonly discard: () => void;
  readonly save: () => void;
  readonly isSaving: boolean;
  readonly isChecking: boolean;
  readonly isValid: boolean;
  readonly isSaved: boolean;
  readonly isOutdated: boolean;
  readonly error: unknown;
}

const PAUSE_MS = 300;

/** Keeps changes of permissions until they are saved. Validates them on the server while the user edits. */
export function useAccessDraft({ roles, permissions }: Access): AccessDraft {
  const queries = useQueryClient();
  const [draft, setDraft] = useState<Draft>(NO_CHANGES);
  const settledDraft = useSettled(draft);
  const pendingGrants = [...settledDraft.values()].filter(({ grant }) => grant !== null);
  const check = useQuery({
    queryKey: ['access-check', JSON.stringify(pendingGrants)],
    queryFn: () => checkChanges(settledDraft),
    staleTime: 60_000,
    gcTime: 60_000,
    placeholderData: (before) => before,
  });
  const changes = changesOf(draft, permissions, roles);
  const save = useMutation({
    mutationFn: () => saveChanges(changes),
    // A save that fails in a later batch has already written the earlier ones: reload them.
    onSettled: async (isDone) => {
      await Promise.all([ACCESS, ['records', 'world']].map((queryKey) => queries.invalidateQueries({ queryKey })));
      if (isDone === true) setDraft(NO_CHANGES);
    },
  });
  function write(next: Draft): void {
    save.reset();
    setDraft(next);
  }
  const isChecking = settledDraft !== draft || check.isFetching;
  return {
    permissions: permissionsOf(draft, permissions),
    changes,
    grantOf: (role, resource) => grantOf(draft, permissions, role, resource),
    faultsOf: (role, resource) => {
      const index = pendingGrants.findIndex((item) => item.role === role && item.resource === resource);
      return index < 0 || isChecking ? [] : (check.data?.faults ?? []).filter((fault) => fault.index === index);
    },
    set: (role, resource, grant) => write(withGrant(draft, permissions, { role, resource, grant })),
    copy: (from, to) => write(withCopy(draft, permissions, from, to)),
    discard: () => write(NO_CHANGES),
    save: () => save.mutate(),
    isSaving: save.isPending,
    isChecking,
    isValid: !isChecking && check.data?.valid === true,
    isSaved: save.data === true,
    isOutdated: save.data === false,
    error: save.error ?? check.error,
  };
}

function useSettled<T>(value: T): T {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = window.setTimeout(() => setSettled(value), PAUSE_MS);
    return () => window.clearTimeout(timer);
  }, [value]);
  return settled;
}
