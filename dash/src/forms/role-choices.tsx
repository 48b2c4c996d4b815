import { useQuery } from '@tanstack/react-query';
import { GUEST_ROLE, listRoles, type Role, ROLES } from '../session/roles-api.js';
import { useTexts } from '../texts/texts.js';
import { Loading } from '../ui/loading.js';
import { TryAgain } from '../ui/try-again.js';
import classes from './role-choices.module.css';

interface RoleChoicesProps {
  legend: string;
  /** Property of a role that is used as its value. */
  by: keyof Role;
  chosen: readonly string[];
  onChoose: (roles: readonly string[]) => void;
}

/** Checkboxes for roles. The guest role is only shown if it is already selected. */
export function RoleChoices({ legend, by, chosen, onChoose }: RoleChoicesProps) {
  const { forms } = useTexts();
  const { data: all, error, refetch } = useQuery({ queryKey: ROLES, queryFn: listRoles });
  if (!all) return error ? <TryAgain error={error} onRetry={() => void refetch()} /> : <Loading />;
  const roles = all.filter((role) => role.name !== GUEST_ROLE || chosen.includes(role[by]));
  return (
    <fieldset className={classes.roles}>
      <legend>{legend}</legend>
      {roles.length === 0 && forms.noRoles}
      {roles.map((role) => (
        <label key={role.id} className={classes.role}>
          <input
            type="checkbox"
            checked={chosen.includes(role[by])}
            onChange={({ currentTarget }) =>
              onChoose(currentTarget.checked ? [...chosen, role[by]] : chosen.filter((item) => item !== role[by]))
            }
          />
          {role.name}
        </label>
      ))}
    </fieldset>
  );
}
