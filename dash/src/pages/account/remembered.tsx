import { Button } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { explainAsText } from '../../api/explain.js';
import type { ListedDevice } from '../../api/openapi.js';
import { forgetDevice, listDevices } from '../../session/account-api.js';
import { useTexts } from '../../texts/texts.js';
import { Notice } from '../../ui/notice.js';
import { When } from '../../ui/when.js';
import classes from './account.module.css';
import { deviceName } from './device-name.js';
import { describeLocation } from './describe-location.js';

const DEVICES = ['account', 'devices'];

export function Remembered() {
  const { sessions: texts } = useTexts('account').account;
  const queries = useQueryClient();
  const { data: devices = [], error } = useQuery({ queryKey: DEVICES, queryFn: listDevices });
  const forget = useMutation({
    mutationFn: forgetDevice,
    onSettled: () => queries.invalidateQueries({ queryKey: DEVICES }),
  });
  const problem = error ?? forget.error;
  return (
    <>
      {problem && <Notice tone="problem">{explainAsText(problem)}</Notice>}
      {forget.isSuccess && <Notice tone="success">{texts.forgotten}</Notice>}
      {devices.length > 0 && (
        <>
          <div className={classes.rowNote}>{texts.remembered}</div>
          <ul className={classes.rows} aria-label={texts.remembered}>
            {devices.map((device) => (
              <Device key={device.id} device={device} onForget={() => forget.isPending || forget.mutate(device.id)} />
            ))}
          </ul>
        </>
      )}
    </>
  );
}

function Device({ device, onForget }: { device: ListedDevice; onForget: () => void }) {
  const { sessions: texts } = useTexts('account').account;
  const name = deviceName(device.device);
  return (
    <li className={classes.row}>
      <div className={classes.rowText}>
        <div className={classes.rowName} title={device.device ?? undefined}>
          {name}
        </div>
        <div className={classes.rowNote}>
          {device.current && `${texts.thisBrowser} · `}
          {texts.lastUsed(<When time={device.last_used_at} as="age" />)}
          {[describeLocation({ ...device, same_network: false }), device.address].map((text) => text && ` · ${text}`)}
        </div>
        <div className={classes.rowNote}>{texts.until(<When time={device.expires_at} as="date" />)}</div>
      </div>
      <Button variant="default" size="xs" aria-label={texts.forgetOne(name)} onClick={onForget}>
        {texts.forget}
      </Button>
    </li>
  );
}
