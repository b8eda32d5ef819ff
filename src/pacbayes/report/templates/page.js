(function () {
  var slider = document.getElementById("slider");
  var values = document.getElementById("values");
  var rows = values ? JSON.parse(values.textContent) : [];
  function show() {
    var row = rows[Number(slider.value)];
    document.getElementById("chosen").textContent = row.confidence;
    document.getElementById("result").textContent = row.shown;
    if (document.getElementById("vote")) { document.getElementById("vote").textContent = row.vote_shown; }
    slider.setAttribute("aria-valuetext", "confidence " + row.confidence + ", " + slider.dataset.noun + " at most " + row.shown);
  }
  if (slider) {
    slider.value = slider.defaultValue;
    slider.addEventListener("input", show);
    show();
  }
  document.querySelectorAll("input.find").forEach(function (field) {
    var number = field.id.slice("find-".length);
    var lines = document.querySelectorAll("#all-" + number + " tbody tr");
    field.value = "";
    field.addEventListener("input", function () {
      var text = field.value.toLowerCase(), count = 0;
      lines.forEach(function (line) {
        line.hidden = line.firstElementChild.textContent.toLowerCase().indexOf(text) < 0;
        if (!line.hidden) { count += 1; }
      });
      document.getElementById("found-" + number).textContent = text ? count + " of " + lines.length : "";
    });
  });
  window.addEventListener("beforeprint", function () {
    document.querySelectorAll("details:not(.many)").forEach(function (each) { each.open = true; });
  });
})();
