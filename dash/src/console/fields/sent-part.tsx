import { useTexts } from '../../texts/texts.js';

interface SentPartProps {
  label: string;
  /** Fraction that was uploaded, from 0 to 1. */
  part: number;
}

export function SentPart({ label, part }: SentPartProps) {
  const { locale } = useTexts('records');
  return (
    <>
      <progress aria-label={label} max={1} value={part} />
      <span aria-hidden>{new Intl.NumberFormat(locale, { style: 'percent' }).format(part)}</span>
    </>
  );
}
