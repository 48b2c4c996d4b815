import { useTexts } from '../../texts/texts.js';

interface UploadProgressProps {
  label: string;
  /** Fraction that was uploaded, from 0 to 1. */
  progress: number;
}

export function UploadProgress({ label, progress }: UploadProgressProps) {
  const { locale } = useTexts('records');
  return (
    <>
      <progress aria-label={label} max={1} value={progress} />
      <span aria-hidden>{new Intl.NumberFormat(locale, { style: 'percent' }).format(progress)}</span>
    </>
  );
}
