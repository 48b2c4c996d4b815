import classes from './navigation.module.css';

/** The room that navigation takes, so that nothing moves when it comes. */
export function NavigationRow() {
  return <div className={classes.row} />;
}
