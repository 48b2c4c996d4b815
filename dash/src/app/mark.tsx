import { BRAND } from '../ui/app-name.js';
import classes from './layout.module.css';

/** The logo of the operator, or the default one. The name is next to it. */
export function Mark() {
  if (BRAND.logo !== null) return <img src={BRAND.logo} alt="" className={classes.logo} />;
  return (
    <svg viewBox="0 0 32 32" className={classes.mark} aria-hidden="true" focusable="false">
      <path d="M3 6h26v6H3zM6.5 14.5h5V28h-5zM20.5 14.5h5V28h-5z" fill="currentColor" />
    </svg>
  );
}
