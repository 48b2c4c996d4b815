import { useEffect, useState } from 'react';
import { relativeTime } from './relative-time.js';
import { useTexts } from '../texts/texts.js';

interface WhenProps {
  /** ISO 8601. */
  time: string;
  as?: 'date' | 'age';
}

const DATE: Intl.DateTimeFormatOptions = { dateStyle: 'long' };
const DATE_TIME: Intl.DateTimeFormatOptions = { dateStyle: 'medium', timeStyle: 'short' };

export function When({ time, as }: WhenProps) {
  const { locale } = useTexts();
  const date = new Date(time);
  if (Number.isNaN(date.getTime())) return null;
  if (as === 'age') return <Age date={date} />;
  return <time dateTime={time}>{date.toLocaleString(locale, as === 'date' ? DATE : DATE_TIME)}</time>;
}

const MINUTE_MS = 60_000;

/** Shows the age, updated every minute, with the time as tooltip. */
function Age({ date }: { date: Date }) {
  const { locale } = useTexts();
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = window.setInterval(() => setNow(Date.now()), MINUTE_MS);
    return () => window.clearInterval(timer);
  }, []);
  return (
    <time dateTime={date.toISOString()} title={date.toLocaleString(locale, DATE_TIME)}>
      {relativeTime(date.getTime(), Math.max(now, date.getTime()))}
    </time>
  );
}
