import { getRouteApi } from '@tanstack/react-router';
import { useTexts } from '../../texts/texts.js';
import { RouteLink } from '../../ui/route-link.js';
import type { RecordWorld } from '../data/records-api.js';
import classes from './access.module.css';
import { type AccessRole, ACTIONS, effectOf, otherResources, type Permission, resourceOf } from './access-model.js';

interface AccessMatrixProps {
  world: RecordWorld;
  roles: readonly AccessRole[];
  permissions: readonly Permission[];
}

/** Roles and schemas: in each place what the role may do, which is changed beneath. */
export function AccessMatrix({ world, roles, permissions }: AccessMatrixProps) {
  const { access } = useTexts('model');
  const schemas = [...world.schemas.keys()].sort();
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
              {roles.map((role) => (
                <td key={role.id}>
                  <Cell
                    role={role}
                    schema={schema}
                    schemas={schemas}
                    permissions={permissions.filter((one) => one.role === role.id)}
                  />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface CellProps {
  role: AccessRole;
  /** Empty for everything else. */
  schema: string;
  schemas: readonly string[];
  permissions: readonly Permission[];
}

const route = getRouteApi('/dash/access');

function Cell({ role, schema, schemas, permissions }: CellProps) {
  const { access } = useTexts('model');
  const search = route.useSearch();
  if (role.root) return <span className={classes.root}>{access.root}</span>;
  const isHere = search.role === role.id && search.schema === schema;
  const name = access.cell(role.name, schema === '' ? access.others : schema);
  const effects = ACTIONS.map((action) => ({ action, ...effectOf(permissions, resourceOf(schema, action)) }));
  const open = effects.filter(({ verdict }) => verdict !== 'none');
  const others = schema === '' ? otherResources(permissions, schemas).length : 0;
  const said =
    schema === ''
      ? access.permissions(others)
      : open.map(({ action, verdict }) => `${access.actions[action]} ${access.verdicts[verdict]}`).join(', ');
  return (
    <RouteLink
      to="/dash/access"
      search={{ role: role.id, schema }}
      resetScroll={false}
      underline="never"
      className={classes.cell}
      aria-label={access.cellSays(name, said || access.nothing)}
      {...(isHere && { 'aria-current': 'true' as const })}
    >
      {schema === ''
        ? others
        : effects.map(({ action, verdict }) => (
            <span
              key={action}
              className={classes.letter}
              data-letter={access.letters[action]}
              data-verdict={verdict}
              title={`${access.actions[action]}: ${access.verdicts[verdict]}`}
            />
          ))}
    </RouteLink>
  );
}
