import classes from './navigation.module.css';

/** Reserves the space of the navigation, so that the layout does not shift when it loads. */
export function NavigationRow() {
  return <div className={classes.row} />;
}
