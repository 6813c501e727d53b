// A short knock for a move; off unless somebody asks for it.

let context = null;

export function sound(isOn, isLong = false) {
  if (!isOn) return;
  context = context || new AudioContext();
  const at = context.currentTime, tone = context.createOscillator(), volume = context.createGain();
  tone.frequency.value = isLong ? 440 : 220;
  tone.type = "triangle";
  volume.gain.setValueAtTime(0.25, at);
  volume.gain.exponentialRampToValueAtTime(0.001, at + (isLong ? 0.5 : 0.09));
  tone.connect(volume).connect(context.destination);
  tone.start(at);
  tone.stop(at + (isLong ? 0.5 : 0.1));
}
