package dev.leasehold.faults;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/** A client of another library, which obeys {@code begin}, {@code cling}, {@code calm} and {@code end} as a {@link Worker}. */
public final class PeerWorker {
    private PeerWorker() {}

    /** The store's URL, the name of the peer, the port of the resource. */
    public static void main(String[] arguments) throws Exception {
        Peer peer = PeerKind.valueOf(arguments[1]).open(arguments[0]);
        ResourceClient resource = new ResourceClient(Integer.parseInt(arguments[2]));
        Worker.say("ready " + System.nanoTime());
        BufferedReader commands = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        PeerShift shift = null;
        for (String line = commands.readLine(); line != null; line = commands.readLine()) {
            String[] words = line.split(" ", -1);
            if (words[0].equals("begin")) {
                Notes notes = new Notes(words[2], Path.of(words[5]));
                shift = PeerShift.begin(peer, resource, words[2], words[3], Long.parseLong(words[4]), notes);
                Worker.say("begun");
            } else if (shift != null) {
                obey(shift, words);
            }
        }
        Runtime.getRuntime().halt(0);
    }

    private static void obey(PeerShift shift, String[] words) throws InterruptedException {
        switch (words[0]) {
            case "cling" -> shift.cling(Integer.parseInt(words[1]));
            case "calm" -> shift.calm();
            case "end" -> Worker.say(shift.end());
            default -> throw new IllegalArgumentException("Not a command: " + String.join(" ", words));
        }
    }
}
