import { useTexts } from '../../texts/texts.js';
import { BRAND } from '../../ui/app-name.js';
import styles from './remember-box.module.css';

/** Days for which a browser can be remembered; 0 if disabled. */
const DAYS = Number(BRAND.keepsSessionByDefault ?? 0);

interface RememberBoxProps {
  isOn: boolean;
  onChange: (isOn: boolean) => void;
}

/** Option to skip the second factor in this browser for some days. */
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
