import { useTexts } from '../../texts/texts.js';

interface SentPartProps {
  /** Name of what is sent, for who hears it. */
  label: string;
  /** Part of it that has left, of 1. */
  part: number;
}

/** Shows how far it is with what is sent. */
export function SentPart({ label, part }: SentPartProps) {
  const { locale } = useTexts('records');
  return (
    <>
      <progress aria-label={label} max={1} value={part} />
      <span aria-hidden>{new Intl.NumberFormat(locale, { style: 'percent' }).format(part)}</span>
    </>
  );
}
