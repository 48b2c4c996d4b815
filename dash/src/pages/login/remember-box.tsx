import { useTexts } from '../../texts/texts.js';
import { BRAND } from '../../ui/app-name.js';
import styles from './remember-box.module.css';

/** Days for which a browser may be remembered; 0 where the service does not. */
const DAYS = Number(BRAND.remembers ?? 0);

interface RememberBoxProps {
  isOn: boolean;
  onChange: (isOn: boolean) => void;
}

/** Has the browser not ask for the second factor again, for some days. */
export function RememberBox({ isOn, onChange }: RememberBoxProps) {
  const { factors } = useTexts('factors');
  if (DAYS === 0) return null;
  return (
    <label className={styles.box}>
      <input type="checkbox" checked={isOn} onChange={({ currentTarget }) => onChange(currentTarget.checked)} />
      {factors.remember(DAYS)}
    </label>
  );
}
