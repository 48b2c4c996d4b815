import { useQuery } from '@tanstack/react-query';
import { getPermissions, PERMISSIONS } from '../../session/keys-api.js';
import { openSections } from '../frame/sections.js';
import { Navigation } from './navigation.js';
import classes from './navigation.module.css';
import { Palette } from './palette.js';
import { ViewingBar } from './viewing-bar.js';

/** Content above every page for signed-in users. The row is empty if only one section is available. */
export function Shell() {
  const { data: permissions } = useQuery({ queryKey: PERMISSIONS, queryFn: getPermissions });
  const sections = permissions ? openSections(permissions) : [];
  return (
    <>
      <ViewingBar />
      <div className={classes.row}>
        {permissions && sections.length > 1 && (
          <>
            <Navigation sections={sections} />
            <Palette permissions={permissions} sections={sections} />
          </>
        )}
      </div>
    </>
  );
}
