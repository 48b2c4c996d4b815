import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useTexts } from '../../texts/texts.js';
import { Loading } from '../../ui/loading.js';
import { Notice } from '../../ui/notice.js';
import { TryAgain } from '../../ui/try-again.js';
import { useSchemas } from '../data/use-schemas.js';
import { ConsolePage } from '../frame/console-page.js';
import { canExplainAccess, canSeeAccess } from '../frame/sections.js';
import { useLeaveWarning } from '../records/use-cell-edits.js';
import { type Access, ACCESS, getAccess } from './access-api.js';
import { AccessChanges } from './access-changes.js';
import { AccessMatrix, MatrixLegend } from './access-matrix.js';
import { GrantPanel } from './grant-panel.js';
import { RoleSection } from './role-section.js';
import { useAccessDraft } from './use-access-draft.js';
import { WhySection } from './why-section.js';
import type { RecordContext } from '../data/records-api.js';

const route = getRouteApi('/dash/access');

export function AccessPage() {
  const { access } = useTexts('model');
  const { data: context, error, refetch } = useSchemas();
  const isOpen = context !== undefined && canSeeAccess(context.permissions);
  return (
    <ConsolePage title={access.title} lead={access.lead}>
      {error ? <TryAgain error={error} onRetry={() => void refetch()} /> : !context && <Loading />}
      {context && !isOpen && <Notice tone="problem">{access.closed}</Notice>}
      {context && isOpen && <Loaded context={context} />}
    </ConsolePage>
  );
}

function Loaded({ context }: { context: RecordContext }) {
  const { data, error, refetch } = useQuery({ queryKey: ACCESS, queryFn: () => getAccess(context.permissions.root) });
  // Keeps the draft if reloading fails.
  if (data) return <Editing context={context} saved={data} />;
  return error ? <TryAgain error={error} onRetry={() => void refetch()} /> : <Loading />;
}

function Editing({ context, saved }: { context: RecordContext; saved: Access }) {
  const { access } = useTexts('model');
  const { role: roleId, schema, of, about } = route.useSearch();
  const draft = useAccessDraft(saved);
  useLeaveWarning(draft.changes.length > 0);
  const { root } = context.permissions;
  const role = saved.roles.find(({ id }) => id === roleId);
  return (
    <>
      {!root && <Notice tone="plain">{access.readOnly}</Notice>}
      <MatrixLegend />
      <AccessMatrix context={context} roles={saved.roles} permissions={draft.permissions} />
      {role && schema !== undefined && !role.root && (schema === '' || context.schemas.has(schema)) && (
        <GrantPanel
          key={`${role.id} ${schema}`}
          context={context}
          roles={saved.roles}
          role={role}
          schema={schema}
          draft={draft}
          isReadOnly={!root}
        />
      )}
      <AccessChanges draft={draft} roles={saved.roles} />
      {root && <RoleSection roles={saved.roles} />}
      {canExplainAccess(context.permissions) && (
        <WhySection
          context={context}
          roles={saved.roles}
          about={about === undefined || of === undefined ? null : { schema: of, id: about }}
        />
      )}
    </>
  );
}
