import classes from './navigation.module.css';

/** Shows the room that navigation takes, so that nothing moves when it comes. */
export function NavigationRow() {
  return <div className={classes.row} />;
}
