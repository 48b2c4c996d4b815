import { useQuery } from '@tanstack/react-query';
import { getPermissions, PERMISSIONS } from '../../session/keys-api.js';
import { useTexts } from '../../texts/texts.js';
import { RouteLink } from '../../ui/route-link.js';
import classes from './navigation.module.css';
import { NavigationRow } from './navigation-row.js';
import { openSections } from './sections.js';

/** The parts of the console that are open to whoever is signed in; an empty row where there is but one. */
export function Navigation() {
  const { areas } = useTexts('model');
  const { data: permissions } = useQuery({ queryKey: PERMISSIONS, queryFn: getPermissions });
  const sections = permissions ? openSections(permissions) : [];
  if (sections.length < 2) return <NavigationRow />;
  return (
    <nav aria-label={areas.parts} className={classes.parts}>
      {sections.map(({ to, name }) => (
        <RouteLink key={to} to={to} activeProps={{ 'aria-current': 'page' }} underline="never">
          {areas.sections[name]}
        </RouteLink>
      ))}
    </nav>
  );
}
