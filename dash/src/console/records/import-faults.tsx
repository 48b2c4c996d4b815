import { useTexts } from '../../texts/texts.js';
import { translateFault } from '../data/translate-faults.js';
import type { RecordSchema } from '../data/record-schema.js';
import type { ImportFault } from '../../api/openapi.js';
import classes from './records.module.css';

interface FileFaults {
  readonly schema: RecordSchema;
  readonly faults: readonly ImportFault[];
  readonly total: number;
}

/** Lists the faults by row. `total` counts all of them, including those not loaded. */
export function ImportFaults({ schema, faults, total }: FileFaults) {
  const { records, recordFaults } = useTexts('records');
  return (
    <div className={classes.faults} role="region" aria-label={records.import.faults(total)} tabIndex={0}>
      <table>
        <thead>
          <tr>
            <th scope="col">{records.import.row}</th>
            <th scope="col">{records.import.field}</th>
            <th scope="col">{records.import.fault}</th>
          </tr>
        </thead>
        <tbody>
          {faults.map(({ row, field, message }) => (
            <tr key={`${row} ${field}`}>
              <td>{row}</td>
              <td>{isOfRow(schema, field) ? records.import.entireRow : field}</td>
              <td>{translateFault(message, recordFaults)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Returns whether a fault refers to the whole row. Its field is the name of the schema then. */
const isOfRow = ({ name, fields }: RecordSchema, field: string): boolean =>
  field === name && !fields.some((item) => item.name === field);
