import { getRouteApi } from '@tanstack/react-router';
import { memo, type ReactNode, useMemo } from 'react';
import { useTexts } from '../../texts/texts.js';
import { RouteLink } from '../../ui/route-link.js';
import type { RecordContext } from '../data/records-api.js';
import classes from './access.module.css';
import {
  type AccessRole,
  ACTIONS,
  otherResources,
  type Permission,
  permissionsByRole,
  type Verdict,
  verdictsOf,
} from './access-model.js';

interface AccessMatrixProps {
  context: RecordContext;
  roles: readonly AccessRole[];
  permissions: readonly Permission[];
}

export function AccessMatrix({ context, roles, permissions }: AccessMatrixProps) {
  const { access } = useTexts('model');
  const search = route.useSearch();
  const schemas = useMemo(() => [...context.schemas.keys()].sort(), [context]);
  const byRole = useMemo(() => permissionsByRole(permissions), [permissions]);
  return (
    <div className={classes.scroll} role="region" aria-label={access.matrix} tabIndex={0}>
      <table className={classes.matrix}>
        <thead>
          <tr>
            <th scope="col">{access.schema}</th>
            {roles.map(({ id, name }) => (
              <th key={id} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {[...schemas, ''].map((schema) => (
            <tr key={schema}>
              <th scope="row">{schema === '' ? access.others : schema}</th>
              {roles.map(({ id, name, root }) => {
                const isHere = search.role === id && search.schema === schema;
                const of = { id, name, schema, isHere };
                return (
                  <td key={id}>
                    {root ? (
                      <span className={classes.root}>{access.root}</span>
                    ) : schema === '' ? (
                      <OtherCell {...of} others={otherResources(byRole.get(id)?.all ?? [], schemas).length} />
                    ) : (
                      <Cell {...of} verdicts={verdictsOf(byRole.get(id), schema)} />
                    )}
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface CellProps {
  id: string;
  name: string;
  /** Empty for all other resources. */
  schema: string;
  isHere: boolean;
}

const LEGEND_VERDICTS = ['allow', 'rule', 'none'] as const;
const route = getRouteApi('/dash/access');

/** Legend of the letters. It is hidden from screen readers, because each cell has a label. */
export function MatrixLegend() {
  const { access } = useTexts('model');
  return (
    <div className={classes.legend} aria-hidden>
      {ACTIONS.map((action) => (
        <span key={action}>
          <span className={classes.letter} data-letter={access.letters[action]} /> {access.actions[action]}
        </span>
      ))}
      {LEGEND_VERDICTS.map((verdict) => (
        <span key={verdict}>
          <span className={classes.letter} data-letter={access.letters.list} data-verdict={verdict} />{' '}
          {access.verdicts[verdict]}
        </span>
      ))}
    </div>
  );
}

/** Memoized, because a matrix has very many cells. */
const Cell = memo(function Cell({ verdicts, ...of }: CellProps & { verdicts: string }) {
  const { access } = useTexts('model');
  const each = verdicts.split(' ') as Verdict[];
  const effects = ACTIONS.map((action, index) => ({ action, verdict: each[index] ?? 'none' }));
  const open = effects.filter(({ verdict }) => verdict !== 'none');
  const summary = open.map(({ action, verdict }) => `${access.actions[action]} ${access.verdicts[verdict]}`).join(', ');
  return (
    <CellLink {...of} label={access.cellLabel(access.cell(of.name, of.schema), summary || access.nothing)}>
      {effects.map(({ action, verdict }) => (
        <span
          key={action}
          className={classes.letter}
          data-letter={access.letters[action]}
          data-verdict={verdict}
          title={`${access.actions[action]}: ${access.verdicts[verdict]}`}
        />
      ))}
    </CellLink>
  );
});

function OtherCell({ others, ...of }: CellProps & { others: number }) {
  const { access } = useTexts('model');
  const name = access.cell(of.name, access.others);
  return (
    <CellLink {...of} label={access.cellLabel(name, access.permissions(others) || access.nothing)}>
      {others}
    </CellLink>
  );
}

function CellLink({ id, schema, isHere, label, children }: CellProps & { label: string; children: ReactNode }) {
  return (
    <RouteLink
      to="/dash/access"
      search={{ role: id, schema }}
      resetScroll={false}
      underline="never"
      className={classes.cell}
      aria-label={label}
      {...(isHere && { 'aria-current': 'true' as const })}
    >
      {children}
    </RouteLink>
  );
}
