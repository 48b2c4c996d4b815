import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useTexts } from '../../texts/texts.js';
import { Loading } from '../../ui/loading.js';
import { Notice } from '../../ui/notice.js';
import { TryAgain } from '../../ui/try-again.js';
import { useSchemas } from '../data/use-schemas.js';
import { ConsolePage } from '../frame/console-page.js';
import { mayAskWhy, seesAccess } from '../frame/sections.js';
import { useLeaveWarning } from '../records/use-cell-edits.js';
import { type Access, ACCESS, getAccess } from './access-api.js';
import { AccessChanges } from './access-changes.js';
import { AccessMatrix, MatrixLegend } from './access-matrix.js';
import { GrantPanel } from './grant-panel.js';
import { RoleSection } from './role-section.js';
import { useAccessDraft } from './use-access-draft.js';
import { WhySection } from './why-section.js';
import type { RecordWorld } from '../data/records-api.js';

const route = getRouteApi('/dash/access');

export function AccessPage() {
  const { access } = useTexts('model');
  const { data: world, error, refetch } = useSchemas();
  const isOpen = world !== undefined && seesAccess(world.permissions);
  return (
    <ConsolePage title={access.title} lead={access.lead}>
      {error ? <TryAgain error={error} onRetry={() => void refetch()} /> : !world && <Loading />}
      {world && !isOpen && <Notice tone="problem">{access.closed}</Notice>}
      {world && isOpen && <Loaded world={world} />}
    </ConsolePage>
  );
}

function Loaded({ world }: { world: RecordWorld }) {
  const { data, error, refetch } = useQuery({ queryKey: ACCESS, queryFn: () => getAccess(world.permissions.root) });
  // Keeps the draft if reloading fails.
  if (data) return <Editing world={world} saved={data} />;
  return error ? <TryAgain error={error} onRetry={() => void refetch()} /> : <Loading />;
}

function Editing({ world, saved }: { world: RecordWorld; saved: Access }) {
  const { access } = useTexts('model');
  const { role: roleId, schema, of, about } = route.useSearch();
  const draft = useAccessDraft(saved);
  useLeaveWarning(draft.changes.length > 0);
  const { root } = world.permissions;
  const role = saved.roles.find(({ id }) => id === roleId);
  return (
    <>
      {!root && <Notice tone="plain">{access.readOnly}</Notice>}
      <MatrixLegend />
      <AccessMatrix world={world} roles={saved.roles} permissions={draft.permissions} />
      {role && schema !== undefined && !role.root && (schema === '' || world.schemas.has(schema)) && (
        <GrantPanel
          key={`${role.id} ${schema}`}
          world={world}
          roles={saved.roles}
          role={role}
          schema={schema}
          draft={draft}
          isReadOnly={!root}
        />
      )}
      <AccessChanges draft={draft} roles={saved.roles} />
      {root && <RoleSection roles={saved.roles} />}
      {mayAskWhy(world.permissions) && (
        <WhySection
          world={world}
          roles={saved.roles}
          about={about === undefined || of === undefined ? null : { schema: of, id: about }}
        />
      )}
    </>
  );
}
