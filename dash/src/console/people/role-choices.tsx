import { useQuery } from '@tanstack/react-query';
import { useTexts } from '../../texts/texts.js';
import { Loading } from '../../ui/loading.js';
import { TryAgain } from '../../ui/try-again.js';
import classes from './people.module.css';
import { listRoles, PEOPLE } from './people-api.js';

interface RoleChoicesProps {
  legend: string;
  chosen: readonly string[];
  onChoose: (roles: readonly string[]) => void;
}

/** Shows the roles that there are, of which several may be chosen, by their ids. */
export function RoleChoices({ legend, chosen, onChoose }: RoleChoicesProps) {
  const { people } = useTexts('people');
  const { data: roles, error, refetch } = useQuery({ queryKey: [...PEOPLE, 'roles'], queryFn: listRoles });
  if (error) return <TryAgain error={error} onRetry={() => void refetch()} />;
  if (!roles) return <Loading />;
  return (
    <fieldset className={classes.roles}>
      <legend>{legend}</legend>
      {roles.length === 0 && people.noRoles}
      {roles.map(({ id, name }) => (
        <label key={id} className={classes.role}>
          <input
            type="checkbox"
            checked={chosen.includes(id)}
            onChange={({ currentTarget }) =>
              onChoose(currentTarget.checked ? [...chosen, id] : chosen.filter((one) => one !== id))
            }
          />
          {name}
        </label>
      ))}
    </fieldset>
  );
}
